import { hash } from 'node:crypto'
import type { LogRow } from '@cdn/api'

/** Creates a multiset of printed rows that may occur again. It groups their digests by second, so that one deletion removes a whole second. */
export function createPrintedRows() {
  const seconds = new Map<number, Set<string>>()
  let current = Number.NaN
  let inRead = new Map<string, number>()
  return {
    size: () => [...seconds.values()].reduce((sum, rows) => sum + rows.size, 0),
    beginRead() {
      current = Number.NaN
    },
    /** @returns whether a row of the current read is new: whether it occurs more often than it was printed */
    add(time: number, row: LogRow): boolean {
      // Equal rows have the same time, so it is enough to count occurrences within one millisecond.
      if (time !== current) inRead = new Map()
      current = time
      const digest = rowDigest(row)
      const count = (inRead.get(digest) ?? 0) + 1
      inRead.set(digest, count)
      const second = Math.floor(time / 1000)
      const printed = seconds.get(second) ?? new Set()
      seconds.set(second, printed)
      const before = printed.size
      return printed.add(count === 1 ? digest : `${digest} ${count}`).size > before
    },
    /** Forgets the rows before a time. Rows in the same second as that time may stay. */
    forget(before: number) {
      for (const second of seconds.keys()) if ((second + 1) * 1000 <= before) seconds.delete(second)
    },
  }
}

/** Length of a digest in characters: 132 bits. Visitors control parts of rows, so a weak hash would let them hide rows. */
const digestLength = 22

/**
 * A short text that identifies a whole row. Ids may be null or shared, so the digest covers all fields. Null fields, the order of
 * fields, and the spelling of the time zone (`Z` or `+00:00`) do not affect the digest.
 */
function rowDigest(row: LogRow): string {
  const fields = Object.entries(row).flatMap(([name, value]) => {
    if (value === null || value === undefined) return []
    if (name === 'timestamp') return [`${name}:${Date.parse(String(value))}`]
    return [`${name}:${JSON.stringify(value, toText)}`]
  })
  return hash('sha256', fields.sort().join(), 'base64').slice(0, digestLength)
}

/** JSON has no bigints. An equal number and bigint become the same text; a string of the same digits becomes a different text. */
function toText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' || typeof value === 'number' ? `#${value}` : value
}
