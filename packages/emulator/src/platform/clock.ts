import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { type Clock, realClock } from '@cdn/api'
import { sleep } from '@cdn/kit/wait'

/** The emulator's time. The rate limit, the retention, token lifetimes and late rows all follow it. */
export interface EmulatorClock {
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
  /**
   * Waits for a signal alone. A virtual clock moves to the timers of its clients, one after the other, until one of them aborts the signal.
   *
   * @throws the signal's reason
   */
  waitForAbort(signal: AbortSignal): Promise<never>
  /** This clock for clients of `@cdn/api`. */
  readonly client: Clock
}

/** Default start of a virtual clock: an afternoon, far from midnight and from the end of a month. */
export const defaultStart = new Date('2026-06-17T14:30:00.000Z')

/**
 * @param start time of the clock before the first advance
 * @throws RangeError if `start` is not a valid date
 */
export function createVirtualClock(start: Date = defaultStart): EmulatorClock {
  let time = start.getTime()
  const timers = new Set<{ readonly at: number; readonly fire: () => void }>()
  if (Number.isNaN(time)) throw new RangeError('The start of the clock is not a valid date')

  /** Moves the clock. Timers that are due on the way fire at their time. */
  function move(until: number, signal?: AbortSignal): void {
    while (!signal?.aborted) {
      const next = [...timers].reduce((a, b) => (b.at < a.at ? b : a), { at: Number.POSITIVE_INFINITY, fire() {} })
      if (!(next.at <= until)) break
      timers.delete(next)
      time = Math.max(time, next.at)
      next.fire()
    }
    signal?.throwIfAborted()
    time = Math.max(time, until)
  }

  const clock: EmulatorClock = {
    now: () => new Date(time),
    advance(ms) {
      if (!(ms >= 0) || Number.isNaN(new Date(time + ms).getTime()))
        throw new RangeError(`A clock moves forward by 0 ms or more, at most to the last time of a Date, not by ${ms}`)
      move(time + ms)
    },
    async waitUntil(moment, signal) {
      // Pending requests of the same moment are served before the clock moves, as during a real wait.
      await setImmediate()
      move(moment, signal)
    },
    async waitForAbort(signal) {
      while (timers.size > 0) {
        await sleep(turnMs) // other requests of this moment are served first
        signal.throwIfAborted()
        move(Math.min(...[...timers].map(({ at }) => at)), signal)
      }
      return whenAborted(signal)
    },
    client: {
      now: () => time,
      sleep: (ms, signal = new AbortController().signal) => clock.waitUntil(time + ms, signal),
      timer(fire, ms) {
        const timer = { at: time + ms, fire }
        timers.add(timer)
        return () => timers.delete(timer)
      },
    },
  }
  return clock
}

/** Real time that a virtual clock gives to requests in progress before it moves, in ms. */
const turnMs = 10

async function whenAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

/** Creates a clock that follows the machine's time. */
export function createRealClock(): EmulatorClock {
  return {
    now: () => new Date(),
    advance() {
      throw new RangeError('A real clock cannot be moved; use a virtual clock')
    },
    async waitUntil(moment, signal) {
      await sleep(moment - Date.now(), signal)
    },
    waitForAbort: whenAborted,
    client: realClock,
  }
}
