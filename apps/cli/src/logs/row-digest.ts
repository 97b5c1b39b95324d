import { hash } from 'node:crypto'
import type { LogRow } from '@cdn/api'

/** Length of a digest in characters: 132 bits. Visitors control parts of rows, so a weak hash would let them hide rows. */
const digestLength = 22

/**
 * A short text that identifies a whole row. Ids may be null or shared, so the digest covers all fields. Null fields, the order of
 * fields, and the spelling of the time zone (`Z` or `+00:00`) do not affect the digest.
 */
export function rowDigest(row: LogRow): string {
  const fields = Object.entries(row).flatMap(([name, value]) => {
    if (value === null || value === undefined) return []
    if (name === 'timestamp') return [`${name}:${Date.parse(String(value))}`]
    return [`${name}:${JSON.stringify(value, toText)}`]
  })
  return hash('sha256', fields.sort().join(), 'base64').slice(0, digestLength)
}

/** JSON has no bigints. An equal number and bigint become the same text; a string of the same digits becomes another one. */
function toText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' || typeof value === 'number' ? `#${value}` : value
}
