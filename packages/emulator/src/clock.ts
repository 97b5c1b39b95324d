/** The emulator's time: the rate limit, the retention, token lifetimes and late rows all obey it. */
export interface Clock {
  now(): Date
  /**
   * Moves a virtual clock forward.
   *
   * @param ms how far, 0 or more
   * @throws Error on a real clock; RangeError on a negative or unusable number
   */
  advance(ms: number): void
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
  }
}

/** The clock of the machine. */
export function createRealClock(): Clock {
  return {
    now: () => new Date(),
    advance() {
      throw new Error('A real clock cannot be moved; use a virtual clock')
    },
  }
}
