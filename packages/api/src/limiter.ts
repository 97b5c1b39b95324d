import { rateLimit } from './gen/limits.ts'
import { type Sleep, sleep as timerSleep, unlessAborted } from './sleep.ts'

/** Options of a limiter; the figures are those of the contract (§8) where absent. */
export interface LimiterOptions {
  /** How many requests a window may hold. */
  readonly requests?: number
  /** The length of a window in milliseconds. */
  readonly windowMs?: number
  /** The longest time that a request can be under way, in milliseconds: the time-out of its caller; 60 s where absent. */
  readonly underWayMs?: number
  /**
   * Who may have asked before this limiter began, for example the same program before a restart. A function gives the
   * time until which a pull zone is busy, as the predecessor recorded it (`busyUntil`), or undefined where nothing is
   * recorded. `unknown`, and undefined, hold the first request of a zone back for a window and `underWayMs`.
   */
  readonly predecessor?: 'unknown' | ((pullZoneId: string) => number | undefined)
  /** Milliseconds since 1970 by a clock that never goes back; the runtime's own where absent. */
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
  /**
   * The time to record for a successor: when the last slot of a pull zone is free again at the latest, should this limiter
   * end now, in milliseconds since 1970. It counts requests that are under way as answered at the last moment, so it
   * holds when it was read after the request that is the last one began.
   */
  busyUntil(pullZoneId: number | bigint): number
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
  const {
    requests = rateLimit.requests,
    windowMs = rateLimit.windowMs,
    underWayMs = 60_000,
    predecessor = () => 0,
    now = () => performance.timeOrigin + performance.now(),
    sleep = timerSleep,
  } = options
  const begun = now()
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
      else
        await unlessAborted(
          new Promise<void>((resolve) => {
            bucket.answered = resolve
          }),
          signal,
        )
    }
    bucket.underWay++
  }

  function bucketOf(pullZoneId: number | bigint): Bucket {
    const key = String(pullZoneId)
    const known = buckets.get(key)
    if (known) return known
    const until = (predecessor === 'unknown' ? undefined : predecessor(key)) ?? begun + windowMs + underWayMs
    const freeAt = until > now() ? Array<number>(requests).fill(until) : []
    const bucket = { underWay: 0, freeAt, turn: Promise.resolve(), answered() {} }
    buckets.set(key, bucket)
    return bucket
  }

  return {
    busyUntil(pullZoneId) {
      const { underWay, freeAt } = bucketOf(pullZoneId)
      return underWay > 0 ? now() + underWayMs + windowMs : (freeAt.at(-1) ?? 0)
    },
    async run(pullZoneId, request, signal) {
      const bucket = bucketOf(pullZoneId)
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
