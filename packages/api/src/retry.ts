import type { LoggingError } from './errors/logging-error.ts'
import { TransportError } from './errors/transport-error.ts'
import { rateLimit } from './gen/limits.ts'
import type { Sleep } from './sleep.ts'

/** Attempts at one request, the first included. */
const attempts = 5
const firstPauseMs = 500
/** A Retry-After beyond this is cut down to it: a slip of the server must not stop a reader for hours. */
const longestPauseMs = 30_000

/** What an attempt came to: a value, or a trouble that may pass. Troubles that cannot pass are thrown. */
export type Attempt<T> = { readonly value: T } | { readonly trouble: Error; readonly retryAfterMs?: number | undefined }

/**
 * Repeats an attempt while it meets trouble, at most 5 times in all, with pauses of 0.5, 1, 2 and 4 s, or as long as the
 * server asks for, up to 30 s.
 *
 * @returns the value
 * @throws the last trouble, what the attempt throws, or the signal's reason
 */
export async function retry<T>(attempt: () => Promise<Attempt<T>>, sleep: Sleep, signal?: AbortSignal): Promise<T> {
  for (let made = 1; ; made++) {
    signal?.throwIfAborted()
    const outcome = await attempt()
    if ('value' in outcome) return outcome.value
    signal?.throwIfAborted()
    if (made === attempts) throw outcome.trouble
    await sleep(outcome.retryAfterMs ?? firstPauseMs * 2 ** (made - 1), signal)
  }
}

/**
 * Judges an error of a read: the rate limit, failures of the platform and broken connections may pass.
 *
 * @param error what the call gave
 * @param response the answer, for its Retry-After
 * @returns the trouble; without a Retry-After a 429 waits a whole window of the rate limit (§8)
 * @throws the error itself where repeating it is of no use
 */
export function troubleOf(error: LoggingError | TransportError, response: Response | undefined): Attempt<never> {
  const passes =
    error instanceof TransportError
      ? error.kind === 'network' || error.kind === 'body'
      : error.status === 429 || error.status >= 500
  if (!passes) throw error
  const asked = retryAfter(response?.headers.get('Retry-After'))
  return { trouble: error, retryAfterMs: asked ?? (error.status === 429 ? rateLimit.windowMs : undefined) }
}

/** Retry-After as seconds or as an HTTP date, in milliseconds from 0 to the cap; undefined where it is neither. */
function retryAfter(header: string | null | undefined): number | undefined {
  const isDate = /GMT$/.test(header ?? '') // `Date.parse` takes almost anything for a date
  if (!header || !(isDate || /^\d+$/.test(header))) return undefined
  const ms = isDate ? Date.parse(header) - Date.now() : Number(header) * 1000
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), longestPauseMs)
}
