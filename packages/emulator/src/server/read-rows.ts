import type { LogRow } from '../state/log-row.ts'

type Kind = 'string' | 'number' | 'boolean'

/** Type of each field of a row, and what it is where it is left out. */
const fields: Readonly<Record<keyof LogRow, { kind: Kind; otherwise?: string | number | boolean | null }>> = {
  timestamp: { kind: 'number' },
  visibleFrom: { kind: 'number', otherwise: 0 },
  pullZoneId: { kind: 'string' },
  requestId: { kind: 'string', otherwise: null },
  cacheStatus: { kind: 'string', otherwise: 'HIT' },
  statusCode: { kind: 'number', otherwise: 200 },
  bytesSent: { kind: 'number', otherwise: 0 },
  remoteIp: { kind: 'string', otherwise: null },
  countryCode: { kind: 'string', otherwise: null },
  userAgent: { kind: 'string', otherwise: null },
  referer: { kind: 'string', otherwise: null },
  ja4Fingerprint: { kind: 'string', otherwise: null },
  asn: { kind: 'number', otherwise: null },
  asnOrganization: { kind: 'string', otherwise: null },
  edgeLocation: { kind: 'string', otherwise: 'DE' },
  scheme: { kind: 'string', otherwise: 'https' },
  host: { kind: 'string', otherwise: 'cdn.example' },
  path: { kind: 'string', otherwise: '/' },
  bodyBytesSent: { kind: 'number', otherwise: null },
  contentRange: { kind: 'string', otherwise: null },
  authorizationHeader: { kind: 'string', otherwise: null },
  originShield: { kind: 'boolean', otherwise: false },
}

/**
 * Rows that were put in over HTTP: `{"rows": [...]}`, each with `timestamp` (milliseconds) and `pullZoneId` (decimal
 * text) at least.
 *
 * @returns complete rows, or a sentence on the first fault
 */
export function readRows(body: unknown): LogRow[] | string {
  const list = typeof body === 'object' && body !== null && 'rows' in body ? body.rows : undefined
  if (!Array.isArray(list)) return 'Send {"rows": [{"timestamp": <ms>, "pullZoneId": "<id>", ...}]}.'
  const rows: LogRow[] = []
  for (const [index, given] of list.entries()) {
    const row = readRow(given)
    if (typeof row === 'string') return `Row ${index}: ${row}`
    rows.push(row)
  }
  return rows
}

function readRow(given: unknown): LogRow | string {
  if (typeof given !== 'object' || given === null) return 'it must be an object.'
  const sent = given as Readonly<Record<string, unknown>>
  const unknown = Object.keys(sent).find((name) => !Object.hasOwn(fields, name))
  if (unknown !== undefined) return `there is no field ${JSON.stringify(unknown)}.`
  const row: Record<string, unknown> = {}
  for (const [name, { kind, otherwise }] of Object.entries(fields)) {
    const value = sent[name] ?? otherwise
    if (value === undefined) return `${name} is missing.`
    if (value !== null && typeof value !== kind) return `${name} must be a ${kind}.`
    row[name] = value
  }
  return row as unknown as LogRow
}
