import { setImmediate } from 'node:timers/promises'
import type { Emulator } from '@cdn/emulator'
import { createSleepers } from '@cdn/kit/testing/sleepers'
import type { LiveClock } from '../../src/run/targets/target.ts'

/** Simulated time for a live run, so that nothing waits in real time. */
export interface SimulatedTime {
  /** The caller's clock, which may differ from the server's. */
  readonly clock: LiveClock
  /** Sends requests. While a request is in flight, time advances only through `take`. */
  readonly fetch: typeof fetch
  /** Advances the time by `ms`, as the time that the server needs. */
  take(ms: number): Promise<void>
}

/** After this many turns of the event loop without a request, every caller is waiting. */
const quietTurns = 4

/**
 * Moves the emulator's virtual clock automatically. Whenever no request is in flight, the clock moves to the next moment
 * that a caller waits for. Requests use real sockets, but take no time on this clock, however slow the machine is.
 *
 * @param skewMs how far the caller's clock is ahead of the server's
 */
export function simulateTime({ clock }: Emulator, skewMs = 0): SimulatedTime {
  const sleepers = createSleepers()
  let busy = 0
  let isMoving = false
  const now = () => clock.now().getTime()

  async function move(): Promise<void> {
    if (isMoving) return
    isMoving = true
    for (let quiet = 0; sleepers.next() < Number.POSITIVE_INFINITY; ) {
      await setImmediate()
      quiet = busy > 0 ? 0 : quiet + 1
      if (quiet < quietTurns) continue
      quiet = 0
      clock.advance(Math.max(0, sleepers.next() - now()))
      sleepers.wake(now())
    }
    isMoving = false
  }

  const sleep = (ms: number, signal?: AbortSignal) => {
    const slept = sleepers.sleep(now() + Math.max(0, ms), signal)
    void move()
    return slept
  }

  return {
    clock: { now: () => now() + skewMs, sleep },
    fetch: async (input, init) => {
      busy++
      try {
        const response = await fetch(input, init)
        const body = await response.arrayBuffer()
        const isBodiless = [204, 205, 304].includes(response.status)
        return new Response(isBodiless ? null : body, { status: response.status, headers: response.headers })
      } finally {
        busy--
      }
    },
    take: async (ms) => {
      busy--
      try {
        await sleep(ms)
      } finally {
        busy++
      }
    },
  }
}
