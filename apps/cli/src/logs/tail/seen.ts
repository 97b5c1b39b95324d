import type { LogRow } from '@cdn/api'
import { rowDigest } from '../row-digest.ts'

/** The rows that were shown and may come again, as a multiset. */
export interface Seen {
  /** How many rows are held. */
  readonly size: () => number
  /** Begins another look, which sees rows from its start on again. */
  readonly beginLook: () => void
  /**
   * Takes a row of the look under way; rows come in the order of time.
   *
   * @param time of the row, in milliseconds
   * @returns whether it was not shown yet: of rows that are alike in every field, the third is new where two were shown
   */
  readonly add: (time: number, row: LogRow) => boolean
  /** Forgets the rows before a point; those in its second may stay. */
  readonly forget: (before: number) => void
  /**
   * Forgets the oldest rows where there are more than can be held.
   *
   * @param before no row from here on is forgotten: those that a look under way is still to see
   * @returns the point before which rows are forgotten now; -Infinity where nothing was
   */
  readonly shrink: (most: number, before: number) => number
  /** What is held, to be given to `createSeen` another time. */
  readonly save: () => SavedSeen
}

/** Digests of the rows of each second since 1970; of rows that are alike, one each. */
export type SavedSeen = Readonly<Record<string, readonly string[]>>

const bucketMs = 1000

/**
 * Makes a multiset. Digests are held by the second, so that old ones go together.
 *
 * @param saved what an earlier one held; nothing where absent
 */
export function createSeen(saved: SavedSeen = {}): Seen {
  const buckets = new Map<number, Map<string, number>>()
  let size = 0
  let forgottenUpTo = Number.NaN
  let current = Number.NaN
  let inLook = new Map<string, number>()
  for (const [bucket, digests] of Object.entries(saved)) {
    const shown = new Map<string, number>()
    for (const digest of digests) shown.set(digest, (shown.get(digest) ?? 0) + 1)
    buckets.set(Number(bucket), shown)
    size += digests.length
  }

  function drop(bucket: number): void {
    for (const count of buckets.get(bucket)?.values() ?? []) size -= count
    buckets.delete(bucket)
  }
  return {
    size: () => size,
    beginLook() {
      current = Number.NaN
      inLook = new Map()
    },
    add(time, row) {
      // Rows that are alike have the same time, so only one millisecond is counted at a time.
      if (time !== current) {
        current = time
        inLook = new Map()
      }
      const digest = rowDigest(row)
      const count = (inLook.get(digest) ?? 0) + 1
      inLook.set(digest, count)
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
      // More than is too much is forgotten, so that this is seldom done.
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
