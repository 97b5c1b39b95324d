import type { Schema } from '@cdn/api/contract'
import { checked } from '../validation.ts'

/** One logged request as stored: every field of a log entry, and the fields that decide whether the entry is shown. */
export interface StoredLogRow {
  /** Milliseconds since 1970, UTC. The number has a fraction if the store is more precise than the shown entries. */
  readonly timestamp: number
  /** When the row becomes visible, in milliseconds since 1970; at once by default. */
  readonly visibleFrom?: number | undefined
  /** Decimal int64. */
  readonly pullZoneId: string
  readonly requestId: string | null
  readonly cacheStatus: string
  readonly statusCode: number
  /** Size of headers and body. */
  readonly bytesSent: number | bigint
  /** The visitor's full address. It is anonymised only when it is shown. */
  readonly remoteIp: string | null
  readonly countryCode: string | null
  readonly userAgent: string | null
  readonly referer: string | null
  readonly ja4Fingerprint: string | null
  readonly asn: number | null
  readonly asnOrganization: string | null
  readonly edgeLocation: string
  readonly scheme: string
  readonly host: string
  /** Path with the query string. */
  readonly path: string
  /** This field and the next two are shown only with extended logging. */
  readonly bodyBytesSent: number | bigint | null
  readonly contentRange: string | null
  readonly authorizationHeader: string | null
  /** Whether the edge sent the request to the origin shield. */
  readonly originShield: boolean
}

const text = { type: 'string' }
const optionalText = { type: ['string', 'null'], default: null }
const optionalNumber = { type: ['number', 'null'], default: null }

/** The JSON schema of each field of a row. A field without a default is required. */
const properties: Readonly<Record<keyof StoredLogRow, Schema>> = {
  timestamp: { type: 'number' },
  visibleFrom: { type: 'number', default: 0 },
  pullZoneId: text,
  requestId: optionalText,
  cacheStatus: { ...text, default: 'HIT' },
  statusCode: { type: 'number', default: 200 },
  bytesSent: { type: 'number', default: 0 },
  remoteIp: optionalText,
  countryCode: optionalText,
  userAgent: optionalText,
  referer: optionalText,
  ja4Fingerprint: optionalText,
  asn: optionalNumber,
  asnOrganization: optionalText,
  edgeLocation: { ...text, default: 'DE' },
  scheme: { ...text, default: 'https' },
  host: { ...text, default: 'cdn.example' },
  path: { ...text, default: '/' },
  bodyBytesSent: optionalNumber,
  contentRange: optionalText,
  authorizationHeader: optionalText,
  originShield: { type: 'boolean', default: false },
}
const rowSchema = { type: 'object', additionalProperties: false, required: ['timestamp', 'pullZoneId'], properties }
const rows = { type: 'array', items: rowSchema }
const bodySchema: Schema = { type: 'object', required: ['rows'], properties: { rows } }
const defaults = Object.fromEntries(Object.entries(properties).map(([name, { default: value }]) => [name, value]))

/**
 * Reads rows from the body of a request to the control interface: `{"rows": [...]}`. Each row needs at least `timestamp`
 * (milliseconds) and `pullZoneId` (decimal text).
 *
 * @returns complete rows
 * @throws RangeError in one sentence about the first invalid row
 */
export function readRows(body: unknown): StoredLogRow[] {
  const given = checked<{ rows: readonly StoredLogRow[] }>(bodySchema, body, 'body')
  return given.rows.map((row) => ({ ...defaults, ...row }))
}
