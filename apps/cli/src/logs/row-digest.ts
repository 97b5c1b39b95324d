import { hash } from 'node:crypto'
import type { LogRow } from '@cdn/api'

/** Characters kept of a digest: 128 bits and a little. Rows are hostile, so a hash that can be steered would hide some. */
const kept = 22

/**
 * Makes a short text that stands for a whole row. Ids may be null or shared, so nothing less than all fields tells rows
 * apart. A field that is null may be left out, fields may change places, and the zone of a timestamp may be written `Z` or
 * `+00:00`: that makes no other row.
 */
export function rowDigest(row: LogRow): string {
  const fields = Object.entries(row).flatMap(([name, value]) => {
    if (value === null || value === undefined) return []
    if (name === 'timestamp') return [`${name}:${Date.parse(String(value))}`]
    return [`${name}:${JSON.stringify(value, toText)}`]
  })
  return hash('sha256', fields.sort().join(), 'base64').slice(0, kept)
}

/** JSON knows no bigint. A number and a bigint that are equal are the same; a text of the same digits is not. */
function toText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' || typeof value === 'number' ? `#${value}` : value
}
