/** The clock of the platform as far as its answers tell: its `Date` is cut to seconds, and an answer takes its time. */
export interface ServerClock {
  /** Milliseconds since 1970 by the platform's clock; the machine's own until the first answer. */
  now(): number
  /** Takes note of an answer: its `Date`, and when it was asked for and came, in ms by the machine's clock. */
  note(date: string | null, asked: number, came: number): void
}

/** A `Date` is cut to seconds. */
const resolutionMs = 1000

/**
 * Makes a clock that is corrected no more than the answers demand: each one bounds the difference to the machine's clock
 * from both sides, and where the machine's clock agrees with all of them, nothing is corrected. Bounds that contradict
 * earlier ones mean that a clock was set; then the latest count.
 *
 * @param local the machine's clock, in ms since 1970; one that is never set back
 */
export function createServerClock(local: () => number): ServerClock {
  let least = Number.NEGATIVE_INFINITY
  let most = Number.POSITIVE_INFINITY
  return {
    now: () => local() + Math.min(Math.max(0, least), most),
    note(date, asked, came) {
      const shown = Date.parse(date ?? '')
      if (Number.isNaN(shown)) return
      const [low, high] = [shown - came, shown + resolutionMs - asked]
      least = Math.max(least, low)
      most = Math.min(most, high)
      if (least <= most) return
      least = low
      most = high
    },
  }
}
