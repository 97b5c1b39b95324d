import { deserialize, serialize } from 'node:v8'
import { defined } from '@cdn/kit/defined'
import type { StoredLogRow } from './log-row.ts'

/** Compressed rows: a few dozen bytes per row instead of several hundred. Unpacked rows equal the original rows. */
export interface PackedRows {
  readonly length: number
  unpack(): StoredLogRow[]
}

/** Maximum number of rows in one pack. Values are numbered with 16 bits, from 1. A row adds at most one value per field. */
export const packLimit = 1024

const blank: StoredLogRow = {
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

/** The names of all fields except the time. The cast is safe, because `blank` has only the fields of a row. */
const fields = Object.keys(blank).filter((name) => name !== 'timestamp') as (keyof StoredLogRow)[]
const idField = fields.indexOf('requestId')
const idBytes = 16
const plainId = /^[\da-f]{32}$/

/**
 * Packs rows. The pack has one list of distinct values, and each field is stored as the number of its value in that list. Request
 * ids are rarely equal, so they are stored as bytes. The list is serialized to bytes, because long-lived strings between
 * short-lived ones fragment the heap: that would cost a fifth of the size of the store.
 *
 * @param rows at most `packLimit` rows
 */
export function compressRows(rows: readonly StoredLogRow[]): PackedRows {
  const times = Float64Array.from(rows, ({ timestamp }) => timestamp)
  const codes = new Uint16Array(rows.length * fields.length)
  const ids = Buffer.alloc(rows.length * idBytes)
  // Code 0 for a request id means that the id is in `ids`.
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
  const list = new Uint8Array(serialize([...numbers.keys()])) // a copy, because the original buffer is larger than its content

  function unpackAt(values: readonly unknown[], index: number): StoredLogRow {
    // All rows are copies of one complete row. So V8 gives them the same hidden class, and they are fast to fill and to read.
    const row: Record<string, unknown> = { ...blank }
    row['timestamp'] = times[index]
    for (let field = 0; field < fields.length; field++) {
      const code = defined(codes[index * fields.length + field])
      row[defined(fields[field])] =
        code === 0 ? ids.toString('hex', index * idBytes, (index + 1) * idBytes) : values[code - 1]
    }
    // The cast is safe: each field has the value that was packed.
    return row as unknown as StoredLogRow
  }
  return {
    length: rows.length,
    unpack() {
      const values: unknown[] = deserialize(list)
      return Array.from(times, (_, index) => unpackAt(values, index))
    },
  }
}
