import type { RateLimit } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import type { Variants } from '../variants/variants.ts'

/** Counts requests by key. */
export interface RequestLimiter {
  /**
   * @param key requests with the same key share a limit
   * @param limit the limit of the contract
   * @param now milliseconds
   * @returns 0 if the request is allowed, otherwise the milliseconds until the next request is allowed
   */
  take(key: string, limit: RateLimit, now: number): number
}

type Take = (counts: number[], limit: RateLimit, now: number) => number

/** The rules return how long the caller must wait, in milliseconds. They record an allowed request in `counts`. */
const rules: Readonly<Record<Variants['rateWindow'], Take>> = {
  /** `counts` holds the times of the requests in the last window. A time is dropped at an age of exactly one window. */
  sliding(times, { requests, windowMs }, now) {
    while (times[0] !== undefined && times[0] <= now - windowMs) times.shift()
    const oldest = times[times.length - requests]
    if (oldest !== undefined) return oldest + windowMs - now
    times.push(now)
    return 0
  },
  /** `counts` holds the number of the window since 1970, and the number of allowed requests in it. */
  fixed(counts, { requests, windowMs }, now) {
    const window = Math.floor(now / windowMs)
    if (counts[0] !== window) counts.splice(0, 2, window, 0)
    const count = defined(counts[1])
    if (count >= requests) return (window + 1) * windowMs - now
    counts[1] = count + 1
    return 0
  },
  /** `counts` holds the level of the bucket and the time of that level. The bucket holds `requests` and refills in one window. */
  bucket(counts, { requests, windowMs }, now) {
    const [level = requests, since = now] = counts
    const filled = Math.min(requests, level + ((now - since) * requests) / windowMs)
    // A rounding error can make a sum of fractions slightly smaller than one whole token.
    const enough = filled > 1 - 1e-9
    counts.splice(0, 2, enough ? Math.max(0, filled - 1) : filled, now)
    return enough ? 0 : ((1 - filled) * windowMs) / requests
  },
}

/**
 * @param variants decide how the window moves and whether refused requests count; §8 leaves both open
 */
export function createRequestLimiter(variants: Variants): RequestLimiter {
  const byKey = new Map<string, number[]>()
  return {
    take(name, limit, now) {
      // The key contains the rule, because each rule stores different numbers.
      const key = `${variants.rateWindow} ${name}`
      const counts = byKey.get(key) ?? []
      byKey.set(key, counts)
      const wait = rules[variants.rateWindow](counts, limit, now)
      if (wait > 0 && variants.refusedRequests === 'counted') penalise[variants.rateWindow](counts, now)
      return wait
    },
  }
}

/** Records a refused request. Used for the variant in which refused requests count. */
const penalise: Readonly<Record<Variants['rateWindow'], (counts: number[], now: number) => void>> = {
  sliding: (times, now) => void times.push(now),
  fixed: () => {},
  bucket: (counts) => void counts.splice(0, 1, 0),
}
