import type { RateLimit } from '@cdn/api/contract'
import type { Variants } from '../variants.ts'

/** Counts requests by key. */
export interface Limiter {
  /**
   * @param key whose requests count together
   * @param limit what the contract allows
   * @param now milliseconds
   * @returns 0 where the request is let through, else the milliseconds after which one more would be
   */
  take(key: string, limit: RateLimit, now: number): number
}

type Take = (counts: number[], limit: RateLimit, now: number) => number

/** How many milliseconds the caller must wait; a request that is let through leaves its mark in `counts`. */
const rules: Readonly<Record<Variants['rateWindow'], Take>> = {
  /** `counts` holds the times of the last window. At exactly one window's age a time has left it. */
  sliding(times, { requests, windowMs }, now) {
    while (times[0] !== undefined && times[0] <= now - windowMs) times.shift()
    const oldest = times[times.length - requests]
    if (oldest !== undefined) return oldest + windowMs - now
    times.push(now)
    return 0
  },
  /** `counts` is the window's number since 1970, and the requests let through in it. */
  fixed(counts, { requests, windowMs }, now) {
    const window = Math.floor(now / windowMs)
    if (counts[0] !== window) counts.splice(0, 2, window, 0)
    const count = counts[1] ?? 0
    if (count >= requests) return (window + 1) * windowMs - now
    counts[1] = count + 1
    return 0
  },
  /** `counts` is the level of the bucket, and the time it was taken. It holds `requests` and refills in one window. */
  bucket(counts, { requests, windowMs }, now) {
    const [level = requests, since = now] = counts
    const filled = Math.min(requests, level + ((now - since) * requests) / windowMs)
    // Sums of fractions fall short of a whole token by a rounding error.
    const enough = filled > 1 - 1e-9
    counts.splice(0, 2, enough ? Math.max(0, filled - 1) : filled, now)
    return enough ? 0 : ((1 - filled) * windowMs) / requests
  },
}

/**
 * @param variants how the window moves, and whether refused requests count (§8 says neither)
 */
export function createLimiter(variants: Variants): Limiter {
  const byKey = new Map<string, number[]>()
  const rule = rules[variants.rateWindow]
  return {
    take(key, limit, now) {
      const counts = byKey.get(key) ?? []
      byKey.set(key, counts)
      const wait = rule(counts, limit, now)
      if (wait > 0 && variants.refusedRequests === 'counted') penalise[variants.rateWindow](counts, now)
      return wait
    },
  }
}

/** What a refused request costs where it counts too. */
const penalise: Readonly<Record<Variants['rateWindow'], (counts: number[], now: number) => void>> = {
  sliding: (times, now) => void times.push(now),
  fixed: () => {},
  bucket: (counts) => void counts.splice(0, 1, 0),
}
