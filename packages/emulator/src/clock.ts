import { setImmediate, setTimeout } from 'node:timers/promises'

/** The emulator's time: the rate limit, the retention, token lifetimes and late rows all obey it. */
export interface Clock {
  now(): Date
  /**
   * Moves a virtual clock forward.
   *
   * @param ms how far, 0 or more
   * @throws RangeError on a real clock, or on a negative or unusable number
   */
  advance(ms: number): void
  /**
   * Lets time pass until a moment. Nobody but a caller moves a virtual clock, so a wait moves it there, at once, and never
   * back; a real clock is waited for.
   *
   * @param time milliseconds since 1970
   * @param signal ends the wait
   * @throws the signal's reason
   */
  waitUntil(time: number, signal: AbortSignal): Promise<void>
}

/** Where a virtual clock starts unless told otherwise: an afternoon, far from midnight and from a month's end. */
export const defaultStart = new Date('2026-06-17T14:30:00.000Z')

/**
 * @param start time that the clock shows until it is moved
 * @throws RangeError when `start` is no valid date
 */
export function createVirtualClock(start: Date = defaultStart): Clock {
  let time = start.getTime()
  if (Number.isNaN(time)) throw new RangeError('The start of the clock is no valid date')
  return {
    now: () => new Date(time),
    advance(ms) {
      if (!Number.isFinite(ms) || ms < 0)
        throw new RangeError(`A clock moves forward by a number of milliseconds, not by ${ms}`)
      time += ms
    },
    async waitUntil(moment, signal) {
      // What is under way at the same moment happens at that moment, as it would during a real wait.
      await setImmediate()
      signal.throwIfAborted()
      time = Math.max(time, moment)
    },
  }
}

/** The clock of the machine. */
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
