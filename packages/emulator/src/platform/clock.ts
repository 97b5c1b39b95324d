import { setImmediate, setTimeout } from 'node:timers/promises'

/** The emulator's time. The rate limit, the retention, token lifetimes and late rows all follow it. */
export interface Clock {
  now(): Date
  /**
   * Moves a virtual clock forward.
   *
   * @param ms milliseconds, 0 or more
   * @throws RangeError on a real clock, or if the number is negative or moves the clock beyond the last time of a Date
   */
  advance(ms: number): void
  /**
   * Waits until a moment. A real clock waits. A virtual clock jumps to that moment at once, unless it has passed.
   *
   * @param time milliseconds since 1970
   * @param signal ends the wait
   * @throws the signal's reason if the signal is aborted
   */
  waitUntil(time: number, signal: AbortSignal): Promise<void>
}

/** Default start of a virtual clock: an afternoon, far from midnight and from the end of a month. */
export const defaultStart = new Date('2026-06-17T14:30:00.000Z')

/**
 * @param start time of the clock before the first advance
 * @throws RangeError if `start` is not a valid date
 */
export function createVirtualClock(start: Date = defaultStart): Clock {
  let time = start.getTime()
  if (Number.isNaN(time)) throw new RangeError('The start of the clock is not a valid date')
  return {
    now: () => new Date(time),
    advance(ms) {
      if (!(ms >= 0) || Number.isNaN(new Date(time + ms).getTime()))
        throw new RangeError(`A clock moves forward by 0 ms or more, at most to the last time of a Date, not by ${ms}`)
      time += ms
    },
    async waitUntil(moment, signal) {
      // Pending requests of the same moment are served before the clock moves, as during a real wait.
      await setImmediate()
      signal.throwIfAborted()
      time = Math.max(time, moment)
    },
  }
}

/** Creates a clock that follows the machine's time. */
export function createRealClock(): Clock {
  return {
    now: () => new Date(),
    advance() {
      throw new RangeError('A real clock cannot be moved; use a virtual clock')
    },
    async waitUntil(moment, signal) {
      signal.throwIfAborted()
      await setTimeout(Math.max(0, moment - Date.now()), undefined, { signal }).catch(() => {})
      signal.throwIfAborted()
    },
  }
}
