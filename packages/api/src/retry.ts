import type { CallError } from './errors/call-error.ts'
import { interrupted, TransportError } from './errors/transport-error.ts'
import { rateLimit } from './gen/limits.ts'
import type { Call, Middleware, Outcome } from './middleware.ts'
import { type Sleep, sleep as timerSleep } from './sleep.ts'

/** Options of `retry`. */
export interface RetryOptions {
  /** Attempts at one request, the first included; 5 where absent. */
  readonly attempts?: number | undefined
  /** The pause after the first attempt is up to this long, and up to twice as long after each further one; 500 ms. */
  readonly firstPauseMs?: number | undefined
  /** No pause is longer, whatever the server asks for: a slip of it must not stop a caller for hours; 30 s. */
  readonly longestPauseMs?: number | undefined
  /** From 0 to 1; for tests. */
  readonly random?: (() => number) | undefined
  /** Waits between attempts; for tests. */
  readonly sleep?: Sleep | undefined
  /** Whether an error may pass; `mayPass` where absent. */
  readonly passes?: ((error: CallError, call: Call, attempt: number) => boolean) | undefined
}

/**
 * Repeats calls that meet a trouble which may pass, after pauses of random length ("full jitter": callers that failed
 * together do not come back together), or as long as Retry-After asks for.
 */
export function retry({
  attempts = 5,
  firstPauseMs = 500,
  longestPauseMs = 30_000,
  random = Math.random,
  sleep = timerSleep,
  passes = mayPass,
}: RetryOptions = {}): Middleware {
  return async (call, next) => {
    for (let attempt = call.attempt; ; attempt++) {
      const outcome = await next({ ...call, attempt })
      const { error } = outcome
      // Who stands behind and has repeated it already has given up.
      if (!error || attempt >= attempts || error.attempts > attempt || call.signal?.aborted) return outcome
      if (!passes(error, call, attempt)) return outcome
      const jitter = random() * firstPauseMs * 2 ** (attempt - 1)
      const pauseMs = Math.min(askedPause(outcome) ?? jitter, longestPauseMs)
      call.observer?.retry?.({ ...call, attempt }, { error, pauseMs })
      try {
        await sleep(pauseMs, call.signal)
      } catch (cause) {
        return interrupted({ ...call, attempt }, cause)
      }
    }
  }
}

/**
 * Whether a repetition may help and cannot harm (`x-effect`). A read is repeated after the rate limit, a failure of the
 * platform and a broken connection. A write is repeated only where the runtime proves that nothing was sent.
 */
export function mayPass(error: CallError, { isRead }: Pick<Call, 'isRead'>): boolean {
  if (error instanceof TransportError) {
    return error.isUnsent || (isRead && ['network', 'timeout', 'body'].includes(error.kind))
  }
  return isRead && (error.status === 408 || error.status === 429 || (error.status ?? 0) >= 500)
}

/**
 * How long the server asks to wait: Retry-After in seconds or as an HTTP date, never below 0. A 429 without it means a
 * whole window of the rate limit (§8).
 *
 * @returns milliseconds; undefined where nothing, or nothing sensible, is asked for
 */
function askedPause({ response, error }: Outcome): number | undefined {
  const header = response?.headers.get('Retry-After') ?? ''
  if (/^\d+$/.test(header)) return Number(header) * 1000
  // `Date.parse` takes almost anything for a date.
  const ms = /GMT$/.test(header) ? Date.parse(header) - Date.now() : Number.NaN
  if (!Number.isNaN(ms)) return Math.max(ms, 0)
  return error?.status === 429 ? rateLimit.windowMs : undefined
}
