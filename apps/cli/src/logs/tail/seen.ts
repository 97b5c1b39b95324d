import { hash } from 'node:crypto'
import type { LogRow } from '@cdn/api'

/** The printed rows that may occur again, as a multiset. */
export type Seen = ReturnType<typeof createSeen>

/** Digests of the rows of each second since 1970. Equal rows have one digest each. */
export type SavedSeen = Readonly<Record<string, readonly string[]>>

const bucketMs = 1000

/**
 * Creates a multiset. It groups the digests by second, so that old ones can be removed together.
 *
 * @param saved content of an earlier multiset
 */
export function createSeen(saved: SavedSeen = {}) {
  const buckets = new Map<number, Map<string, number>>()
  let size = 0
  let forgottenUpTo = Number.NaN
  let current = Number.NaN
  let inRead = new Map<string, number>()
  for (const [bucket, digests] of Object.entries(saved)) {
    const shown = new Map<string, number>()
    for (const digest of digests) shown.set(digest, (shown.get(digest) ?? 0) + 1)
    buckets.set(Number(bucket), shown)
    size += digests.length
  }

  return {
    size: () => size,
    beginRead() {
      current = Number.NaN
      inRead = new Map()
    },
    /** @returns whether a row of the current read is new: whether it occurs more often than it was printed */
    add(time: number, row: LogRow): boolean {
      // Equal rows have the same time, so it is enough to count occurrences within one millisecond.
      if (time !== current) {
        current = time
        inRead = new Map()
      }
      const digest = rowDigest(row)
      const count = (inRead.get(digest) ?? 0) + 1
      inRead.set(digest, count)
      const bucket = Math.floor(time / bucketMs)
      const shown = buckets.get(bucket) ?? new Map<string, number>()
      buckets.set(bucket, shown)
      if (count <= (shown.get(digest) ?? 0)) return false
      shown.set(digest, count)
      size++
      return true
    },
    /** Forgets the rows before a time. Rows in the same second as that time may stay. */
    forget(before: number) {
      if (Math.floor(before / bucketMs) === forgottenUpTo) return
      forgottenUpTo = Math.floor(before / bucketMs)
      for (const [bucket, shown] of buckets) {
        if ((bucket + 1) * bucketMs > before) continue
        for (const count of shown.values()) size -= count
        buckets.delete(bucket)
      }
    },
    /** The content, which `createSeen` can restore. */
    save: (): SavedSeen =>
      Object.fromEntries(
        [...buckets].map(([bucket, shown]) => [
          bucket,
          [...shown].flatMap(([digest, count]) => Array<string>(count).fill(digest)),
        ]),
      ),
  }
}

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
