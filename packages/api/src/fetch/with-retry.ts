import { backOff, retryAfter, type Sleep, sleep as timerSleep } from '@cdn/kit/wait'
import { isUnsent } from '../errors/transport-error.ts'
import { rateLimit } from '../gen/limits.ts'
import { endCall, type RetryReason, repeatableInput } from './call.ts'
import { createWrapper, type FetchWrapper } from './wrapper.ts'

export interface RetryOptions {
  /** Maximum number of attempts, including the first; 5 by default. */
  readonly attempts?: number | undefined
  /** Maximum pause after the first attempt, doubled after each further attempt; 500 ms by default. */
  readonly firstPauseMs?: number | undefined
  /**
   * Maximum pause; 30 s by default. It applies even if the server requests a longer pause, because a wrong header must not block a
   * caller for hours.
   */
  readonly maxPauseMs?: number | undefined
  /** Returns a random number from 0 to 1; for tests. */
  readonly random?: (() => number) | undefined
  /** Waits between attempts; for tests. */
  readonly sleep?: Sleep | undefined
}

export type AttemptOutcome<Value> =
  | { readonly value: Value; readonly response?: Response | undefined; readonly error?: undefined }
  | { readonly error: unknown; readonly response?: Response | undefined }

interface Repetition<Value> extends RetryOptions {
  readonly signal: AbortSignal | undefined
  /** Makes an attempt. An error that it throws is its outcome. */
  readonly attempt: (isLast: boolean) => Promise<AttemptOutcome<Value>>
  /** Whether a repetition may help and is safe. @param attempt number of the failed attempt, from 1 */
  readonly mayHelp: (outcome: AttemptOutcome<Value>, attempt: number) => boolean
  readonly onRetry?: ((reason: RetryReason) => void) | undefined
}

/**
 * Repeats requests after transient failures. The pause is random ("full jitter"), so that callers that failed together do not
 * return together; a Retry-After header sets the pause instead. An operation that only reads is repeated after 408, 429, 5xx except
 * 501, time-outs and broken connections. Any other operation is repeated only if it is certain that nothing was sent.
 *
 * @example
 * createManagementClient({ wrap: [withRetry({ attempts: 3 })] })
 */
export function withRetry(options: RetryOptions = {}): FetchWrapper {
  return createWrapper(({ input, init, call }, send) => {
    const { isRepeatable, isRetryOff, observed } = call
    // Nested retries would multiply the attempts.
    if (isRetryOff) return send(input, init)
    call.isRetryOff = true
    return repeat<Response>({
      ...options,
      signal: init.signal ?? undefined,
      attempt: async (isLast) => {
        const response = await send(isLast ? input : repeatableInput({ input, init }), init)
        return { value: response, response }
      },
      mayHelp: (outcome) => isUnsent(outcome.error) || (isRepeatable && isTransient(outcome)),
      onRetry: (reason) => {
        endCall(call)
        for (const observer of observed) observer.retry(reason)
      },
    })
  })
}

/**
 * Makes attempts until one needs no repetition, or the maximum is reached.
 *
 * @returns the value of the last attempt
 * @throws the error of the last attempt, or the signal's reason, if the signal fires during a pause
 */
export async function repeat<Value>(options: Repetition<Value>): Promise<Value> {
  const { attempts = 5, sleep = timerSleep, signal, attempt, mayHelp, onRetry } = options
  for (let n = 1; ; n++) {
    let outcome: AttemptOutcome<Value>
    try {
      outcome = await attempt(n >= attempts)
    } catch (cause) {
      outcome = { error: cause }
    }
    const { response, error } = outcome
    if (n >= attempts || signal?.aborted || !mayHelp(outcome, n)) {
      if ('value' in outcome) return outcome.value
      throw error
    }
    const pauseMs = pauseAfter(n, response, options)
    onRetry?.(response && !error ? { status: response.status, pauseMs } : { error, pauseMs })
    await sleep(pauseMs, signal)
  }
}

/** The pause after the n-th attempt, in ms. A 429 without Retry-After requests a pause of a whole window of the rate limit (§8). */
function pauseAfter(n: number, response: Response | undefined, options: RetryOptions): number {
  const { firstPauseMs: firstMs = 500, maxPauseMs: maxMs = 30_000, random } = options
  const requested =
    response && (retryAfter(response.headers) ?? (response.status === 429 ? rateLimit.windowMs : undefined))
  return backOff(n, { firstMs, maxMs, randomShare: 1, random }, requested)
}

/** Whether an attempt failed with a transient status (`mayPass`), or without a usable response (`isBroken`). */
export function isTransient({ response, error }: AttemptOutcome<unknown>): boolean {
  return response ? mayPass(response.status) : isBroken(error)
}

/** Whether a retry may succeed after this status: after a time-out, the rate limit, or a failure of the platform; 501 is permanent. */
export function mayPass(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status !== 501)
}

/**
 * Whether a connection broke, a time-out fired, or a body was unusable. An abort by the caller, a redirect and a failed credential
 * function do not count.
 */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { name, kind, message }: Error & { kind?: string } = error
  if (message.endsWith('(bad port)')) return false // Node blocks the port
  return name === 'TransportError' ? kind !== 'redirect' && kind !== 'credential' : name === 'TypeError'
}
