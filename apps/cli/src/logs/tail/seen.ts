import type { LogRow } from '@cdn/api'
import { defined } from '@cdn/kit/defined'
import { rowDigest } from '../row-digest.ts'

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
  /**
   * Forgets the oldest rows if there are more than the limit.
   *
   * @param before rows since this time are kept, because the current read will return them again
   * @returns the time before which rows were forgotten; -Infinity if none were
   */
  readonly shrink: (limit: number, before: number) => number
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

  function drop(bucket: number): void {
    for (const count of defined(buckets.get(bucket)).values()) size -= count
    buckets.delete(bucket)
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
      for (const bucket of buckets.keys()) if ((bucket + 1) * bucketMs <= before) drop(bucket)
    },
    shrink(most, before) {
      if (size <= most) return Number.NEGATIVE_INFINITY
      let end = Number.NEGATIVE_INFINITY
      // Forgets more rows than necessary, so that this loop runs rarely.
      for (const bucket of [...buckets.keys()].sort((a, b) => a - b)) {
        const next = (bucket + 1) * bucketMs
        if (size <= most * 0.75 || next > before) break
        drop(bucket)
        end = next
      }
      return end
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
