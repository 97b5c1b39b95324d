import type { Operation, RateLimit } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import type { Variants } from '../variants/variants.ts'
import type { EmulatorResponse } from './messages.ts'
import type { ParameterValue } from './parameters.ts'
import { refuse } from './refuse.ts'

/**
 * Counts requests by key. It returns 0 if the request is allowed, otherwise the milliseconds until the next request is allowed.
 *
 * @param key requests with the same key share a limit
 * @param now milliseconds since 1970
 */
export type RequestLimiter = (key: string, limit: RateLimit, now: number) => number

/** Records a request in `counts` if it is allowed, or if refused requests count. Returns how long the caller must wait in ms. */
type Take = (counts: number[], limit: RateLimit, now: number, countsRefused: boolean) => number

const rules: Readonly<Record<Variants['rateWindow'], Take>> = {
  /** `times` holds the times of the counted requests in the last window. A time is dropped at an age of exactly one window. */
  sliding(times, { requests, windowMs }, now, countsRefused) {
    while (times[0] !== undefined && times[0] <= now - windowMs) times.shift()
    const oldest = times[times.length - requests]
    if (oldest === undefined || countsRefused) times.push(now)
    return oldest === undefined ? 0 : oldest + windowMs - now
  },
  /** `counts` holds the number of the window since 1970, and the number of allowed requests in it. */
  fixed(counts, { requests, windowMs }, now) {
    const window = Math.floor(now / windowMs)
    if (counts[0] !== window) counts.splice(0, 2, window, 0)
    const count = assertDefined(counts[1])
    if (count >= requests) return (window + 1) * windowMs - now
    counts[1] = count + 1
    return 0
  },
  /** `counts` holds the number of tokens and the time of that number. The bucket holds at most `requests` tokens, and one window refills it. */
  bucket(counts, { requests, windowMs }, now, countsRefused) {
    const [level = requests, since = now] = counts
    const filled = Math.min(requests, level + ((now - since) * requests) / windowMs)
    // A rounding error can make a sum of fractions slightly smaller than one whole token.
    const enough = filled > 1 - 1e-9
    counts.splice(0, 2, enough ? Math.max(0, filled - 1) : countsRefused ? 0 : filled, now)
    return enough ? 0 : ((1 - filled) * windowMs) / requests
  },
}

/**
 * @param variants decide how the window moves and whether refused requests count; §8 leaves both open
 */
export function createRequestLimiter(variants: Variants): RequestLimiter {
  const byKey = new Map<string, number[]>()
  return (name, limit, now) => {
    // The key contains the rule, because each rule stores different numbers.
    const key = `${variants.rateWindow} ${name}`
    const counts = byKey.get(key) ?? []
    byKey.set(key, counts)
    return rules[variants.rateWindow](counts, limit, now, variants.refusedRequests === 'counted')
  }
}

/**
 * Checks the rate limit of the contract (§8).
 *
 * @returns a 429 response, or undefined
 */
export function refuseRate(
  operation: Operation,
  parameters: Readonly<Record<string, ParameterValue | undefined>>,
  { limiter, variants }: { readonly limiter: RequestLimiter; readonly variants: Variants },
  now: number,
): EmulatorResponse | undefined {
  const limit = operation.rateLimit
  if (!limit) return undefined
  const bucket = variants.rateBuckets === 'one each' ? operation.name : operation.interface
  const wait = limiter(`${bucket} ${parameters[limit.per]}`, limit, now)
  if (wait === 0) return undefined
  const response = refuse(operation, 429, { message: 'Too many requests for this pull zone.' }, variants)
  if (variants.retryAfter === 'absent') return response
  return { ...response, headers: { ...response.headers, 'retry-after': String(Math.ceil(wait / 1000)) } }
}
