import { interrupted } from './errors/transport-error.ts'
import { rateLimit } from './gen/limits.ts'
import type { Limiter } from './limiter.ts'
import type { Middleware } from './middleware.ts'

/**
 * Holds calls back so that they keep the rate limit of their pull zone (§8); both versions of the logging interface count
 * alike. The logging client has it built in; other calls pass.
 *
 * @param limiter shared by all who call the same pull zones
 */
export function limit(limiter: Limiter): Middleware {
  return async (call, next) => {
    const zone = call.path[rateLimit.per]
    if (zone === undefined) return next(call)
    const asked = performance.now()
    let isStarted = false
    const start = () => {
      isStarted = true
      const heldMs = performance.now() - asked
      if (heldMs >= 1) call.observer?.wait?.(call, heldMs)
      return next(call)
    }
    try {
      return await limiter.run(zone as number | bigint, start, call.signal)
    } catch (cause) {
      if (isStarted) throw cause
      return interrupted(call, cause)
    }
  }
}
