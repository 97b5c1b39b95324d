import type { Clock } from '@cdn/emulator'
import { createSleepers } from '@cdn/kit/testing/sleepers'

/** Virtual time. It advances when all tasks wait. */
export type SimulatedTime = ReturnType<typeof createSimulatedTime>

/** After this many iterations of the event loop without activity, all tasks count as waiting. */
const quietTurns = 4

/** Creates virtual time from the emulator's clock, which is the only clock. */
export function createSimulatedTime(clock: Clock) {
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
    /** Milliseconds since 1970, by the emulator's clock. */
    now,
    /** Waits. If the signal fires first, rejects with the signal's reason. */
    sleep: (ms: number, signal?: AbortSignal) => sleepers.sleep(now() + Math.max(ms, 0), signal),
    /** Stops time until the promise settles. Use it for file and stream operations, which the simulation cannot see. */
    async during<T>(work: Promise<T>): Promise<T> {
      underWay++
      try {
        return await work
      } finally {
        underWay--
      }
    },
    /** Advances time until `end`, or until `isDone` returns true. */
    async run(end: number, isDone = () => false): Promise<void> {
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
