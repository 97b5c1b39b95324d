import { readHttpDate } from './wait.ts'

/**
 * Called when responses change the estimate by more than a minute. `offset`: machine minus platform, in ms. `jump`: whether an earlier
 * response agreed with the old estimate.
 */
export type ClockListener = (offset: number, jump: boolean) => void

/** Resolution of `Date`, in ms. */
const resolutionMs = 1000
/** Clock difference that is not reported, in ms. */
export const toleranceMs = 60_000
/** How long a confirmation by a response counts, in ms. */
const freshMs = 15 * 60_000

interface Bounds {
  readonly min: number
  readonly max: number
}

export interface ServerClockOptions {
  readonly onOff?: ClockListener | undefined
  /** Whether a response that contradicts the estimate counts only after a second one confirms it; true by default. */
  readonly confirms?: boolean
}

/**
 * Creates the platform's clock with the smallest correction that the responses require. `Date` has whole seconds, and a response takes
 * time, so each response gives a lower and an upper bound of the difference from the machine's clock. While the machine's clock is within
 * all bounds, the correction is 0. If a response contradicts the estimate (at first the machine's clock) by more than a minute, it counts
 * only after the next response confirms it: a proxy, or one server of many, may have a wrong clock.
 *
 * @param local the machine's clock, in ms since 1970
 */
export function createServerClock(local: () => number, { onOff = () => {}, confirms = true }: ServerClockOptions = {}) {
  let accepted: Bounds | undefined
  let doubted: Bounds | undefined
  let shown = Number.NEGATIVE_INFINITY
  let notedAt = Number.NEGATIVE_INFINITY
  const correction = () => (accepted ? Math.min(Math.max(0, accepted.min), accepted.max) : 0)

  function believe(bounds: Bounds, date: number, came: number): void {
    accepted = bounds
    doubted = undefined
    shown = date
    notedAt = came
  }

  function note(date: string | null, sent: number, came: number): void {
    const at = readHttpDate(date)
    if (at === undefined) return
    const bounds = { min: at - came, max: at + resolutionMs - sent }
    const { min, max } = accepted ?? unbounded
    if (distance(bounds, accepted ?? { min: 0, max: 0 }) <= toleranceMs) {
      const both = { min: Math.max(min, bounds.min), max: Math.min(max, bounds.max) }
      // Bounds may contradict each other slightly, because clocks drift. Then the latest response counts.
      believe(both.min <= both.max ? both : bounds, Math.max(at, shown), came)
    } else if (!confirms || (doubted && distance(bounds, doubted) <= toleranceMs)) {
      const isFirst = accepted === undefined
      believe(bounds, at, came)
      onOff(-correction(), !isFirst)
    } else doubted = bounds
  }

  return {
    /** Milliseconds since 1970 by the platform's clock. Until that is known, by the machine's clock. */
    now: () => local() + correction(),
    /** The latest accepted `Date`, in ms since 1970; -Infinity before the first. */
    shown: () => shown,
    /** Whether a response has confirmed the clock within the last 15 minutes. */
    isFresh: () => Math.abs(local() - notedAt) < freshMs,
    /** Platform minus machine, in ms; 0 while the machine's clock is within all bounds. */
    offset: correction,
    /** Wraps a `fetch`: the `Date` of each response corrects the clock. */
    watch<Args extends readonly unknown[]>(fetch: (...args: Args) => Promise<Response>) {
      return async (...args: Args): Promise<Response> => {
        const sent = local()
        const response = await fetch(...args)
        note(response.headers.get('Date'), sent, local())
        return response
      }
    },
  }
}

/** Describes a clock that is off by more than the tolerance. @param offset machine minus platform, in ms @returns a clause */
export function describeOffset(offset: number): string | undefined {
  if (Math.abs(offset) <= toleranceMs) return undefined
  const seconds = Math.round(Math.abs(offset) / 1000)
  return `clock of this machine is ${seconds} s ${offset > 0 ? 'ahead of' : 'behind'} the platform's`
}

const unbounded: Bounds = { min: Number.NEGATIVE_INFINITY, max: Number.POSITIVE_INFINITY }

function distance(a: Bounds, b: Bounds): number {
  return Math.max(0, a.min - b.max, b.min - a.max)
}
