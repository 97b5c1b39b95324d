import { type Sleep, sleep as timerSleep } from '@cdn/kit/wait'
import { rateLimit, rateLimitKey } from '../gen/limits.ts'
import { addressOf, requestPath } from './call.ts'
import { createWrapper, type FetchWrapper } from './wrapper.ts'

/** Options of a limiter. The default numbers are those of the contract (§8). */
export interface LimiterOptions {
  /** Maximum number of requests per window. */
  readonly requests?: number
  /** Length of a window in milliseconds. */
  readonly windowMs?: number
  /** A monotonic clock in milliseconds; the runtime's by default. */
  readonly now?: () => number
  readonly sleep?: Sleep
}

/** Delays requests so that they do not exceed the rate limit of their pull zone. */
export interface Limiter {
  /**
   * Runs a request when its pull zone has a free slot. Waiting requests are served in order of arrival.
   *
   * @param pullZoneId zone of the limit; both versions of the logging interface share the limit
   * @param request sends the request, which was delayed for `heldMs` milliseconds. Its promise settles when the response has arrived,
   *   or the request has failed
   * @param signal aborts the wait
   * @returns the result of the request
   * @throws the signal's reason, if the signal fires before the request starts; otherwise the error of the request
   */
  run<T>(
    pullZoneId: number | bigint | string,
    request: (heldMs: number) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T>
}

interface Bucket {
  underWay: number
  /** When the slots of finished requests become free, ascending. */
  readonly freeAt: number[]
  /** Starts the waiting requests, in order of arrival. */
  readonly waiting: (() => void)[]
  /** Ends the wait for the next free slot. */
  sleeping?: AbortController
}

/**
 * Creates a limiter. A slot becomes free one window after the response arrived, or after the request failed. The platform counts a
 * request at an unknown time before its response. So this rule is safe for fixed windows, sliding windows, and token buckets.
 *
 * @throws RangeError if `requests` is below 1 or `windowMs` is not positive
 */
export function createLimiter(options: LimiterOptions = {}): Limiter {
  const {
    requests = rateLimit.requests,
    windowMs = rateLimit.windowMs,
    now = () => performance.now(),
    sleep = timerSleep,
  } = options
  if (!(requests >= 1) || !(windowMs > 0))
    throw new RangeError('A limiter needs at least 1 request and a window above 0 ms')
  const buckets = new Map<string, Bucket>()

  function takeSlot(bucket: Bucket): boolean {
    const { freeAt } = bucket
    while (freeAt[0] !== undefined && freeAt[0] <= now()) freeAt.shift()
    if (bucket.underWay + freeAt.length >= requests) return false
    bucket.underWay++
    return true
  }

  /** Starts waiting requests while slots are free, and again when the next slot becomes free. */
  function serve(bucket: Bucket): void {
    const { waiting, freeAt } = bucket
    while (waiting.length > 0 && takeSlot(bucket)) waiting.shift()?.()
    bucket.sleeping?.abort()
    if (waiting.length === 0 || freeAt[0] === undefined) return
    bucket.sleeping = new AbortController()
    sleep(freeAt[0] - now(), bucket.sleeping.signal).then(
      () => serve(bucket),
      () => {}, // aborted
    )
  }

  /** Waits for a slot. An aborted request leaves the queue, so that it takes no slot. */
  function wait(bucket: Bucket, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }
      const stop = () => {
        bucket.waiting.splice(bucket.waiting.indexOf(start), 1)
        reject(signal?.reason)
        serve(bucket)
      }
      signal?.addEventListener('abort', stop, { once: true })
      bucket.waiting.push(start)
      serve(bucket)
    })
  }

  function bucketOf(pullZoneId: number | bigint | string): Bucket {
    const key = String(pullZoneId)
    const bucket = buckets.get(key) ?? { underWay: 0, freeAt: [], waiting: [] }
    buckets.set(key, bucket)
    return bucket
  }

  return {
    async run(pullZoneId, request, signal) {
      signal?.throwIfAborted()
      const bucket = bucketOf(pullZoneId)
      const requestedAt = now()
      if (bucket.waiting.length > 0 || !takeSlot(bucket)) await wait(bucket, signal)
      try {
        return await request(now() - requestedAt)
      } finally {
        bucket.freeAt.push(now() + windowMs)
        bucket.underWay--
        serve(bucket)
      }
    },
  }
}

/**
 * Delays requests to obey the rate limit of their pull zone (§8). Both versions of the logging interface share the limit. Requests
 * without a limit are not delayed. The logging client has this wrapper built in.
 *
 * @param limiter shared by all clients that call the same pull zones
 * @example
 * const fetch = wrapFetch(globalThis.fetch, [withRateLimit(createLimiter())])
 */
export function withRateLimit(limiter: Limiter): FetchWrapper {
  return createWrapper(async ({ input, init, call }, send) => {
    const zone = rateLimitKey(requestPath(addressOf(input)))
    if (zone === undefined) return send(input, init)
    const hold = (isHeld: boolean) => {
      for (const limit of call.ofAttempt) limit.hold(isHeld)
    }
    const start = (heldMs: number) => {
      hold(false)
      if (heldMs >= 1) for (const observer of call.observed) observer.wait(heldMs)
      return send(input, init)
    }
    hold(true) // a platform that nothing was sent to is not slow
    return limiter.run(zone, start, init.signal ?? undefined)
  })
}
