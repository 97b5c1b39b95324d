import { createSleepers } from '@cdn/kit/testing/sleepers'

/** A virtual clock. Its time advances when no other work is left, so hours of it pass in a second. */
export interface VirtualTime {
  /** The current time in milliseconds. */
  now(): number
  /** Waits for a duration. Rejects with the signal's reason if the signal fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Advances time to `until`; without `until`, until all waits are over. */
  run(until?: number): Promise<void>
}

/** Creates a clock whose sleepers wake in the order of their times. */
export function createVirtualTime(start = 0): VirtualTime {
  const sleepers = createSleepers()
  let time = start
  return {
    now: () => time,
    sleep: (ms, signal) => sleepers.sleep(time + Math.max(ms, 0), signal),
    async run(until = Number.POSITIVE_INFINITY) {
      for (;;) {
        await new Promise(setImmediate) // lets all other promises resolve first
        const next = sleepers.next()
        if (next === Number.POSITIVE_INFINITY || next > until) {
          if (until < Number.POSITIVE_INFINITY) time = Math.max(time, until)
          return
        }
        time = Math.max(time, next)
        sleepers.wake(time)
      }
    },
  }
}
