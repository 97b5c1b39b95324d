import { deserialize, serialize } from 'node:v8'
import type { LogRow } from './log-row.ts'

/** Rows in a few dozen bytes each instead of several hundred; they come back as they were. */
export interface PackedRows {
  readonly length: number
  unpack(): LogRow[]
}

/** Most rows in one pack: a row has at most one new value a field, and values are numbered with 16 bits, from 1. */
export const packLimit = 1024

const blank: LogRow = {
  timestamp: 0,
  visibleFrom: undefined,
  pullZoneId: '',
  requestId: null,
  cacheStatus: '',
  statusCode: 0,
  bytesSent: 0,
  remoteIp: null,
  countryCode: null,
  userAgent: null,
  referer: null,
  ja4Fingerprint: null,
  asn: null,
  asnOrganization: null,
  edgeLocation: '',
  scheme: '',
  host: '',
  path: '',
  bodyBytesSent: null,
  contentRange: null,
  authorizationHeader: null,
  originShield: false,
}

/** Every field but the time; equal values of one pack are kept once. */
const fields = Object.keys(blank).filter((name) => name !== 'timestamp') as (keyof LogRow)[]
const idField = fields.indexOf('requestId')
const idBytes = 16
const plainId = /^[\da-f]{32}$/

/**
 * Packs rows: each field is the number of its value in a list of the values that occur; request ids, which rarely occur
 * twice, are kept as bytes. The list is kept as bytes, too: strings that live on among short-lived ones leave holes in the
 * heap, a fifth of the store.
 *
 * @param rows at most `packLimit`
 */
export function packRows(rows: readonly LogRow[]): PackedRows {
  const times = Float64Array.from(rows, ({ timestamp }) => timestamp)
  const codes = new Uint16Array(rows.length * fields.length)
  const ids = Buffer.alloc(rows.length * idBytes)
  // Code 0 in the place of an id says that it stands in `ids`.
  const numbers = new Map<unknown, number>()
  for (const [index, row] of rows.entries()) {
    for (const [field, name] of fields.entries()) {
      const value = row[name]
      if (field === idField && plainId.test(String(value))) {
        ids.write(String(value), index * idBytes, 'hex')
        continue
      }
      const code = numbers.get(value) ?? numbers.size + 1
      if (code > numbers.size) numbers.set(value, code)
      codes[index * fields.length + field] = code
    }
  }
  const list = new Uint8Array(serialize([...numbers.keys()])) // a copy: the original is larger than what it holds

  function unpackAt(values: readonly unknown[], index: number): LogRow {
    // A copy of a whole row keeps one shape for all rows, which makes them fast to fill and to read.
    const row: Record<string, unknown> = { ...blank }
    row['timestamp'] = times[index]
    for (let field = 0; field < fields.length; field++) {
      const code = codes[index * fields.length + field] ?? 0
      row[fields[field] ?? ''] =
        code === 0 ? ids.toString('hex', index * idBytes, (index + 1) * idBytes) : values[code - 1]
    }
    return row as unknown as LogRow
  }
  return {
    length: rows.length,
    unpack() {
      const values: unknown[] = deserialize(list)
      return Array.from(times, (_, index) => unpackAt(values, index))
    },
  }
}
