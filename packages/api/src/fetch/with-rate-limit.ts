import { rateLimitKey } from '../gen/limits.ts'
import type { Limiter } from './limiter.ts'
import { requestFacts, requestPath } from './request-facts.ts'
import { createWrapper, type FetchWrapper } from './wrapper.ts'

/**
 * Delays requests to obey the rate limit of their pull zone (§8). Both versions of the logging interface share the limit. Other
 * requests are not delayed. The logging client has this wrapper built in.
 *
 * @param limiter shared by all clients that call the same pull zones
 * @example
 * const fetch = wrapFetch(globalThis.fetch, [withRateLimit(createLimiter())])
 */
export function withRateLimit(limiter: Limiter): FetchWrapper {
  return createWrapper(async (request, send) => {
    const zone = rateLimitKey(requestPath(request.url))
    if (zone === undefined) return send(request)
    const requestedAt = performance.now()
    const start = () => {
      const heldMs = performance.now() - requestedAt
      if (heldMs >= 1) for (const { observer, call } of requestFacts(request).observed) observer.wait?.(call, heldMs)
      return send(request)
    }
    return limiter.run(zone, start, request.signal)
  })
}
