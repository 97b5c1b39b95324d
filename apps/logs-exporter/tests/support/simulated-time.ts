import type { Clock } from '@cdn/emulator'
import { createSleepers } from '@cdn/kit/testing/sleepers'

/** Virtual time. It advances when all tasks wait. */
export interface SimulatedTime {
  /** Milliseconds since 1970, by the emulator's clock. */
  now(): number
  /** Waits. If the signal fires first, rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Stops time until the promise settles. Use it for file and stream operations, which the simulation cannot see. */
  during<T>(work: Promise<T>): Promise<T>
  /** Advances time until `end`, or until `isDone` returns true. */
  run(end: number, isDone?: () => boolean): Promise<void>
}

/** After this many iterations of the event loop without activity, all tasks count as waiting. */
const quietTurns = 4

/** Creates virtual time from the emulator's clock, which is the only clock. */
export function createSimulatedTime(clock: Clock): SimulatedTime {
  const now = () => clock.now().getTime()
  const sleepers = createSleepers()
  let underWay = 0

  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns; quiet++) {
      await new Promise(setImmediate)
      if (underWay > 0) quiet = -1
    }
  }

  return {
    now,
    sleep: (ms, signal) => sleepers.sleep(now() + Math.max(ms, 0), signal),
    async during(work) {
      underWay++
      try {
        return await work
      } finally {
        underWay--
      }
    },
    async run(end, isDone = () => false) {
      for (;;) {
        await settle()
        if (isDone()) return
        const next = sleepers.next()
        const at = Math.min(next, end)
        if (at > now()) clock.advance(at - now())
        if (next > end) return
        sleepers.wake(now())
      }
    },
  }
}
