import type { Emulator } from '@cdn/emulator'
import { createVirtualTime } from '@cdn/kit/testing/virtual-time'
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

/**
 * Moves the emulator's virtual clock automatically. Whenever no request is in flight, the clock moves to the next moment
 * that a caller waits for. Requests use real sockets, but take no time on this clock, however slow the machine is.
 *
 * @param skewMs how far the caller's clock is ahead of the server's
 */
export function simulateTime({ clock }: Emulator, skewMs = 0): SimulatedTime {
  const { now, sleep, during, meanwhile } = createVirtualTime(clock, { isAutomatic: true })
  // Ignore the signal, because the time-outs of the suite use real time, and a busy machine is not a silent target.
  const send = async (input: RequestInfo | URL, { signal: _, ...init }: RequestInit = {}) => {
    const response = await fetch(input, init)
    const body = await response.arrayBuffer()
    const isBodiless = [204, 205, 304].includes(response.status)
    return new Response(isBodiless ? null : body, { status: response.status, headers: response.headers })
  }
  return {
    clock: { now: () => now() + skewMs, sleep },
    fetch: (...request) => during(send(...request)),
    take: (ms) => meanwhile(sleep(ms)),
  }
}

/** Returns the clock of this machine, except that a wait takes no time: the clock is then ahead. */
export function skipWaits(): LiveClock {
  let skippedMs = 0
  return {
    now: () => Date.now() + skippedMs,
    async sleep(ms) {
      skippedMs += ms
    },
  }
}
