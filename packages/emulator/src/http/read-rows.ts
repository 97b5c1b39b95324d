import type { StoredLogRow } from '../platform/state/log-row.ts'

type Kind = 'string' | 'number' | 'boolean'

/** Type and default of each field of a row. A field without a default is required. */
const fields: Readonly<Record<keyof StoredLogRow, { kind: Kind; defaultValue?: string | number | boolean | null }>> = {
  timestamp: { kind: 'number' },
  visibleFrom: { kind: 'number', defaultValue: 0 },
  pullZoneId: { kind: 'string' },
  requestId: { kind: 'string', defaultValue: null },
  cacheStatus: { kind: 'string', defaultValue: 'HIT' },
  statusCode: { kind: 'number', defaultValue: 200 },
  bytesSent: { kind: 'number', defaultValue: 0 },
  remoteIp: { kind: 'string', defaultValue: null },
  countryCode: { kind: 'string', defaultValue: null },
  userAgent: { kind: 'string', defaultValue: null },
  referer: { kind: 'string', defaultValue: null },
  ja4Fingerprint: { kind: 'string', defaultValue: null },
  asn: { kind: 'number', defaultValue: null },
  asnOrganization: { kind: 'string', defaultValue: null },
  edgeLocation: { kind: 'string', defaultValue: 'DE' },
  scheme: { kind: 'string', defaultValue: 'https' },
  host: { kind: 'string', defaultValue: 'cdn.example' },
  path: { kind: 'string', defaultValue: '/' },
  bodyBytesSent: { kind: 'number', defaultValue: null },
  contentRange: { kind: 'string', defaultValue: null },
  authorizationHeader: { kind: 'string', defaultValue: null },
  originShield: { kind: 'boolean', defaultValue: false },
}

/**
 * Reads rows from the body of a request to the control interface: `{"rows": [...]}`. Each row needs at least `timestamp`
 * (milliseconds) and `pullZoneId` (decimal text).
 *
 * @returns complete rows, or one sentence about the first invalid row
 */
export function readRows(body: unknown): StoredLogRow[] | string {
  const list = typeof body === 'object' && body !== null && 'rows' in body ? body.rows : undefined
  if (!Array.isArray(list)) return 'Invalid body: expected {"rows": [{"timestamp": <ms>, "pullZoneId": "<id>", ...}]}.'
  const rows: StoredLogRow[] = []
  for (const [index, value] of list.entries()) {
    const row = readRow(value)
    if (typeof row === 'string') return `Row ${index}: ${row}`
    rows.push(row)
  }
  return rows
}

function readRow(input: unknown): StoredLogRow | string {
  if (typeof input !== 'object' || input === null) return 'it must be an object.'
  const sent: Readonly<Record<string, unknown>> = { ...input }
  const unknown = Object.keys(sent).find((name) => !Object.hasOwn(fields, name))
  if (unknown !== undefined) return `unknown field ${JSON.stringify(unknown)}.`
  const row: Record<string, unknown> = {}
  for (const [name, { kind, defaultValue }] of Object.entries(fields)) {
    const value = sent[name] ?? defaultValue
    if (value === undefined) return `${name} is missing.`
    if (value !== null && typeof value !== kind) return `${name} must be a ${kind}.`
    row[name] = value
  }
  // The loop has set every field.
  return row as unknown as StoredLogRow
}
