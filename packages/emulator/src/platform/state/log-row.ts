import type { LoggingComponents } from '@cdn/api'
import { contracts, type Schema } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { checkValue } from '../../contract/validation.ts'

type Entry = LoggingComponents['schemas']['LogEntry']

/** Text fields whose value is never null in the store, and their defaults in rows of the control interface. */
const present = { cacheStatus: 'HIT', edgeLocation: 'DE', scheme: 'https', host: 'cdn.example', path: '/' }

type Stored = Omit<Entry, 'timestamp' | 'pullZoneId' | 'url' | keyof typeof present> & typeof present

/**
 * One logged request as stored: the fields of a log entry, and those that decide whether the entry is shown. The stored IP address is
 * complete; a response anonymises it. `bodyBytesSent`, `contentRange` and `authorizationHeader` are shown only with extended logging.
 */
export interface StoredLogRow extends Readonly<Required<Stored>> {
  /** Milliseconds since 1970, UTC. The number has a fraction if the store is more precise than the shown entries. */
  readonly timestamp: number
  /** When the row becomes visible, in milliseconds since 1970; by default at its time. */
  readonly visibleFrom?: number | undefined
  /** Decimal int64. */
  readonly pullZoneId: string
  /** Whether the edge sent the request to the origin shield. */
  readonly originShield: boolean
}

const {
  timestamp: _,
  url: __,
  ...fields
} = assertDefined(contracts.logging.openapi.full.components.schemas?.['LogEntry']?.properties)
const [text, number] = [{ type: 'string' }, { type: 'number' }]
const properties: Readonly<Record<string, Schema>> = {
  ...fields,
  ...Object.fromEntries(Object.keys(present).map((name) => [name, text])),
  timestamp: number,
  visibleFrom: number,
  pullZoneId: text,
  originShield: { type: 'boolean' },
}
const rowSchema = { type: 'object', additionalProperties: false, required: ['timestamp', 'pullZoneId'], properties }
const rows = { type: 'array', items: rowSchema }
const bodySchema: Schema = { type: 'object', required: ['rows'], properties: { rows } }
const nulls = Object.fromEntries(Object.keys(fields).map((name) => [name, null]))
const rowDefaults = { ...nulls, ...present, statusCode: 200, bytesSent: 0, visibleFrom: 0, originShield: false }

/**
 * Reads rows from the body of a request to the control interface: `{"rows": [...]}`. Each row needs at least `timestamp`
 * (milliseconds) and `pullZoneId` (decimal text).
 *
 * @returns complete rows
 * @throws RangeError in one sentence about the first invalid row
 */
export function readRows(body: unknown): StoredLogRow[] {
  const given = checkValue<{ rows: readonly StoredLogRow[] }>(bodySchema, body, 'body')
  return given.rows.map((row) => ({ ...rowDefaults, ...row }))
}
