/** A value and how often it occurred, at least. */
export interface Frequent {
  /** null: what was counted had none. */
  readonly value: string | null
  readonly count: number
}

/** Counts values of which there may be more than memory holds. */
export interface FrequentCounter {
  readonly add: (value: string | null) => void
  /** The most frequent values, most frequent first; of equals the one that sorts first. */
  readonly top: (most: number) => readonly Frequent[]
  /** By how much a count may be too low at most; values that occurred no oftener may be missing. 0: all counts are exact. */
  readonly error: () => number
  /** How many values are known: all there are where `error` is 0. */
  readonly known: () => number
}

/** A text longer than this is counted by its beginning and its length, so that hostile rows cannot fill the memory. */
const longest = 256

/**
 * Counts by Misra and Gries: when more values are known than may be, all counts are lowered by the median of them, and those
 * that fall to 0 are dropped. A count is too low by at most the sum of what was taken, which is at most 2 n / capacity of n
 * values.
 *
 * @param capacity how many values are known at most
 */
export function createFrequentCounter(capacity = 8192): FrequentCounter {
  const counts = new Map<string | null, number>()
  let taken = 0

  function reduce(): void {
    const ordered = [...counts.values()].sort((a, b) => a - b)
    const median = ordered[ordered.length >> 1] ?? 0
    taken += median
    for (const [value, count] of counts) {
      if (count <= median) counts.delete(value)
      else counts.set(value, count - median)
    }
  }
  return {
    add(value) {
      const key = value !== null && value.length > longest ? shorten(value) : value
      counts.set(key, (counts.get(key) ?? 0) + 1)
      if (counts.size > capacity) reduce()
    },
    top: (most) =>
      [...counts]
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1))
        .slice(0, most),
    error: () => taken,
    known: () => counts.size,
  }
}

/** The text is copied: a part of it would keep the whole alive. */
function shorten(value: string): string {
  return Buffer.from(`${value.slice(0, longest)}… (${value.length} characters)`).toString()
}
