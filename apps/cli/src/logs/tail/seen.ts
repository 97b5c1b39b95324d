import { hash } from 'node:crypto'
import type { LogRow } from '@cdn/api'

/** The printed rows that may occur again, as a multiset. */
export interface Seen {
  readonly size: () => number
  /** Begins a new read. A read repeats the rows since its start. */
  readonly beginRead: () => void
  /**
   * Adds a row of the current read. The rows of a read arrive in the order of time.
   *
   * @param time of the row, in milliseconds
   * @returns whether the row is new. After two printed rows that are equal in every field, a third one in the same read is new
   */
  readonly add: (time: number, row: LogRow) => boolean
  /** Forgets the rows before a time. Rows in the same second as that time may stay. */
  readonly forget: (before: number) => void
  /** Returns the content, which `createSeen` can restore. */
  readonly save: () => SavedSeen
}

/** Digests of the rows of each second since 1970. Equal rows have one digest each. */
export type SavedSeen = Readonly<Record<string, readonly string[]>>

const bucketMs = 1000

/**
 * Creates a multiset. It groups the digests by second, so that old ones can be removed together.
 *
 * @param saved content of an earlier multiset
 */
export function createSeen(saved: SavedSeen = {}): Seen {
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
    add(time, row) {
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
    forget(before) {
      if (Math.floor(before / bucketMs) === forgottenUpTo) return
      forgottenUpTo = Math.floor(before / bucketMs)
      for (const [bucket, shown] of buckets) {
        if ((bucket + 1) * bucketMs > before) continue
        for (const count of shown.values()) size -= count
        buckets.delete(bucket)
      }
    },
    save: () =>
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
