import { createLimiter, type Limiter, rateLimit } from '@cdn/api'
import { type Sleep, sleep as timerSleep } from '@cdn/kit/wait'

/** Options of the limiter, and a listener for the only long wait after a restart. */
export interface RestartLimiterOptions {
  /** A monotonic clock in ms. */
  readonly now: () => number
  readonly sleep?: Sleep | undefined
  /** Called after a 429, with the time for which the zone sends nothing, in ms. */
  readonly onRest?: ((zone: string, ms: number) => void) | undefined
}

/** Number of requests that the rate limit permits, but the even pace does not use, because response times vary. */
const reserve = 3
/** Time between two requests of a zone in the first window, in ms. */
const paceMs = rateLimit.windowMs / (rateLimit.requests - reserve)

/**
 * Creates the limiter of a process that may follow a killed one. The platform still counts the requests of the killed process, and
 * nothing shows how many they were. Yet the first request is sent at once:
 *
 * - In the first window after the start, the requests of a zone keep an even pace. If the killed process did the same, the platform
 *   has room for them. So a process that is killed every few seconds makes progress after each start.
 * - After a 429, the zone sends nothing for a window. Then the platform counts no request of an earlier process any more.
 */
export function createRestartLimiter({ now, sleep = timerSleep, onRest }: RestartLimiterOptions): Limiter {
  const limiter = createLimiter({ now, sleep })
  const begun = now()
  /** Number of requests of each zone in the first window. */
  const early = new Map<string, number>()
  const restsUntil = new Map<string, number>()

  async function takeTurn(zone: string, signal: AbortSignal | undefined): Promise<void> {
    const count = (early.get(zone) ?? 0) + 1
    if (now() < begun + rateLimit.windowMs) early.set(zone, count)
    const waitUntil = async (at: number) => at > now() && (await sleep(at - now(), signal))
    await waitUntil(count > 1 ? begun + count * paceMs : begun)
    await waitUntil(restsUntil.get(zone) ?? 0)
  }

  return {
    ...limiter,
    run(id, request, signal) {
      const zone = String(id)
      const requestedAt = now()
      return limiter.run(
        id,
        async () => {
          await takeTurn(zone, signal)
          const response = await request(now() - requestedAt)
          if (response instanceof Response && response.status === 429) {
            restsUntil.set(zone, now() + rateLimit.windowMs)
            onRest?.(zone, rateLimit.windowMs)
          }
          return response
        },
        signal,
      )
    },
  }
}
