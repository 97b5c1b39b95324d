import { maxTimerMs, type Sleep, sleep } from '@cdn/kit/wait'

/** Time as a client measures it. With the emulator's virtual clock, no test waits for a pause or a time-out. */
export interface Clock {
  /** Monotonic time in milliseconds. */
  now(): number
  /** Waits between attempts, and for the rate limit. */
  readonly sleep: Sleep
  /** Calls a function after `ms` milliseconds, for a time limit. @returns a function that stops the timer */
  timer(fire: () => void, ms: number): () => void
}

/** The time of the runtime. A timer of more than 25 days fires early. */
export const realClock: Clock = {
  now: () => performance.now(),
  sleep,
  timer(fire, ms) {
    const timer = setTimeout(fire, Math.min(ms, maxTimerMs))
    return () => clearTimeout(timer)
  },
}
