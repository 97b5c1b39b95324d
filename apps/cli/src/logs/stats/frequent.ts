import { defined } from '@cdn/kit/defined'

/** A value and its number of occurrences (a lower bound). */
export interface Frequent {
  /** null for rows without a value. */
  readonly value: string | null
  readonly count: number
}

export type FrequentCounter = ReturnType<typeof createFrequentCounter>

/** Longer texts are identified by their beginning and their length, so that hostile rows cannot fill the memory. */
const maxLength = 256

/**
 * Counts with the Misra-Gries algorithm. When there are more values than the capacity, all counts are reduced by their median, and
 * values whose count falls to 0 are dropped. The error of a count is at most the sum of these reductions. That sum is at most
 * 2 n / capacity for n values.
 *
 * @param capacity maximum number of counted values
 */
export function createFrequentCounter(capacity = 8192) {
  const counts = new Map<string | null, number>()
  let taken = 0

  function reduce(): void {
    const ordered = [...counts.values()].sort((a, b) => a - b)
    const median = defined(ordered[ordered.length >> 1])
    taken += median
    for (const [value, count] of counts) {
      if (count <= median) counts.delete(value)
      else counts.set(value, count - median)
    }
  }
  return {
    add(value: string | null) {
      const key = value !== null && value.length > maxLength ? shorten(value) : value
      counts.set(key, (counts.get(key) ?? 0) + 1)
      if (counts.size > capacity) reduce()
    },
    /** The most frequent values. Equally frequent values are in alphabetical order. */
    top: (most: number): readonly Frequent[] =>
      [...counts]
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1))
        .slice(0, most),
    /** Maximum error of a count. Values that occurred at most this often may be missing. */
    error: () => taken,
  }
}

/** Copies the text: a slice would keep the whole text in memory. */
function shorten(value: string): string {
  return Buffer.from(`${value.slice(0, maxLength)}… (${value.length} characters)`).toString()
}
