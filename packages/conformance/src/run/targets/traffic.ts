import { createLimiter } from '@cdn/api'
import type { RateLimit } from '@cdn/api/contract'
import type { LiveClock } from './target.ts'

/** A 429 lowers the request rate of a pull zone to this share, because another caller uses the limit. */
const slowdownShare = 2 / 3
const maxSlowdowns = 4

/** The requests to the logs of one pull zone. */
export type ZoneTraffic = ReturnType<typeof createTraffic>

/**
 * Creates the traffic of a pull zone. Its paced requests obey the rate limit (§8).
 *
 * @param busyUntil time from which the full budget is free: the preflight or an earlier run may have sent requests
 */
export function createTraffic(zone: bigint, limit: RateLimit, clock: LiveClock, busyUntil: number) {
  const { requests, windowMs } = limit
  let slowdowns = 0
  let lastAt = busyUntil - windowMs
  const limiterNow = () =>
    createLimiter({ ...clock, requests: Math.floor(requests * slowdownShare ** slowdowns), windowMs })
  let limiter = limiterNow()

  /** Sends a request without a delay, as bursts do. */
  const send = async (work: () => Promise<Response>): Promise<Response> => {
    lastAt = clock.now()
    const response = await work()
    lastAt = clock.now()
    return response
  }

  return {
    send,
    /** Sends a request as soon as the rate limit has room for it. */
    async sendPaced(work: () => Promise<Response>, signal: AbortSignal): Promise<Response> {
      for (;;) {
        while (busyUntil > clock.now()) await clock.sleep(busyUntil - clock.now(), signal)
        const current = limiter
        // If a 429 lowered the rate while this request waited, it waits again at the new rate.
        const response = await current.run(zone, async () => (limiter === current ? send(work) : undefined), signal)
        if (!response) continue
        if (response.status === 429 && limiter === current && slowdowns < maxSlowdowns) {
          slowdowns++
          limiter = limiterNow()
          busyUntil = clock.now() + windowMs
        }
        return response
      }
    },
    /** Time of the last request or response. */
    lastAt: () => lastAt,
    /** Lets paced requests wait for a window after the last one, because a burst has spent the budget. */
    rest() {
      busyUntil = lastAt + windowMs
    },
  }
}
