import { rateLimit } from './gen/limits.ts'
import { type Sleep, sleep as timerSleep } from './sleep.ts'

/** Options of a limiter; the figures are those of the contract (§8) where absent. */
export interface LimiterOptions {
  /** How many requests a window may hold. */
  readonly requests?: number
  /** The length of a window in milliseconds. */
  readonly windowMs?: number
  /** A clock in milliseconds that never goes back; `performance.now` where absent. */
  readonly now?: () => number
  readonly sleep?: Sleep
}

/** Holds requests back so that a pull zone's rate limit is never exceeded. */
export interface Limiter {
  /**
   * Runs a request when its pull zone has a free slot; those who wait are served in the order in which they came.
   *
   * @param pullZoneId whose limit it is; both versions of the logging interface share it
   * @param request sends the request and settles when its answer has arrived
   * @param signal gives up waiting
   * @returns what the request gives
   * @throws the signal's reason, when it fires before the request was started; else what the request throws
   */
  run<T>(pullZoneId: number | bigint, request: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

interface Bucket {
  underWay: number
  /** When the slots of answered requests become free, ascending. */
  readonly freeAt: number[]
  /** Settles when the last in the queue has started or given up. */
  turn: Promise<void>
  /** Wakes the first in the queue when an answer arrived. */
  answered: () => void
}

/**
 * Makes a limiter. A slot becomes free one window after the answer arrived: when within its way a request was counted,
 * nobody but the platform knows, and this holds for fixed and sliding windows and for buckets alike.
 *
 * @throws RangeError when a figure is not positive
 */
export function createLimiter(options: LimiterOptions = {}): Limiter {
  const { requests = rateLimit.requests, windowMs = rateLimit.windowMs } = options
  const { now = () => performance.now(), sleep = timerSleep } = options
  if (!(requests >= 1) || !(windowMs > 0))
    throw new RangeError('A limiter needs at least 1 request and a window above 0 ms')
  const buckets = new Map<string, Bucket>()

  async function start(bucket: Bucket, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      signal?.throwIfAborted()
      const time = now()
      while ((bucket.freeAt[0] ?? Number.POSITIVE_INFINITY) <= time) bucket.freeAt.shift()
      if (bucket.underWay + bucket.freeAt.length < requests) break
      const [next] = bucket.freeAt
      if (next !== undefined) await sleep(next - time, signal)
      else await unlessAborted(new Promise<void>((resolve) => Object.assign(bucket, { answered: resolve })), signal)
    }
    bucket.underWay++
  }

  return {
    async run(pullZoneId, request, signal) {
      const key = String(pullZoneId)
      const bucket = buckets.get(key) ?? { underWay: 0, freeAt: [], turn: Promise.resolve(), answered() {} }
      buckets.set(key, bucket)
      const started = bucket.turn.then(() => start(bucket, signal))
      bucket.turn = started.catch(() => {})
      const end = () => {
        bucket.underWay--
        bucket.answered()
      }
      await unlessAborted(started, signal).catch((reason) => {
        started.then(end, () => {}) // its turn came in the same moment: the slot was taken, but nothing was sent
        throw reason
      })
      try {
        return await request()
      } finally {
        bucket.freeAt.push(now() + windowMs)
        end()
      }
    },
  }
}

/** Waits for a promise, but no longer than until the signal fires. */
function unlessAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
