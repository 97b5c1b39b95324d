/** Waits and pauses. Tests inject a `Sleep` with virtual time. */

/** Waits for a number of milliseconds. Rejects with the signal's reason if the signal fires first. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

/** Maximum duration of a timer, in ms: almost 25 days. The runtime fires a longer timer at once. */
export const maxTimerMs = 2 ** 31 - 1

/**
 * Waits with the runtime's timers.
 *
 * @param ms duration in ms, of any length; a negative number and NaN count as 0
 * @throws the signal's reason, if it fires first
 */
export const sleep: Sleep = (ms, signal) =>
  new Promise<void>((resolve, reject) => {
    let left = Math.max(ms, 0) || 0
    let timer: ReturnType<typeof setTimeout>
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const wait = () => {
      const next = Math.min(left, maxTimerMs)
      left -= next
      timer = setTimeout(left > 0 ? wait : end, next)
    }
    const end = () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }
    wait()
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
  })

/**
 * Waits for a promise until a signal fires.
 *
 * @throws the signal's reason, if the signal fires first; otherwise the promise's error
 */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason)
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop)
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/** How long to wait between repetitions, in ms. */
export interface Pauses {
  readonly firstMs: number
  readonly maxMs: number
  /** Share of a pause that is random, from 0 to 1, so that several clients do not return together; 0 by default. */
  readonly randomShare?: number
  /** Returns a number from 0 to 1. */
  readonly random?: (() => number) | undefined
}

/**
 * Pause before a repetition, in ms. It doubles with each consecutive failure, up to `maxMs`, minus the random share.
 *
 * @param failures consecutive failures, at least 1
 * @param requestedMs the pause that the other side requests (`retryAfter`); the pause is not shorter, but at most `maxMs`
 */
export function backOff(
  failures: number,
  { firstMs, maxMs, randomShare = 0, random = Math.random }: Pauses,
  requestedMs: number = 0,
): number {
  const pause = Math.min(firstMs * 2 ** (failures - 1), maxMs) * (1 - randomShare * random())
  return Math.max(pause, Math.min(requestedMs, maxMs))
}

const months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec'
// The three forms of RFC 9110 §5.6.7. `Date.parse` accepts almost any text.
const httpDate = new RegExp(
  `^(?:\\w{3}, \\d\\d (?:${months}) \\d{4} [\\d:]{8} GMT|\\w{6,9}, \\d\\d-(?:${months})-\\d\\d [\\d:]{8} GMT|\\w{3} (?:${months}) [ \\d]\\d [\\d:]{8} \\d{4})$`,
)

/** Reads an HTTP date, such as a `Date` header. @returns ms since 1970; undefined for any other text */
export function readHttpDate(text: string | null): number | undefined {
  if (text === null || !httpDate.test(text)) return undefined
  const ms = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`)
  return Number.isNaN(ms) ? undefined : ms
}

/**
 * Reads `Retry-After`: a number of seconds, or an HTTP date (RFC 9110 §10.2.3). A date is measured against the `Date` of the same response,
 * because the clocks of client and server may differ.
 *
 * @param now ms since 1970, for a response without `Date`
 * @returns ms; negative for a date in the past, NaN for an invalid or a missing header
 */
export function statedPauseMs(headers: Headers, now: number): number {
  const text = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(text)) return Number(text) * 1000
  return (readHttpDate(text) ?? Number.NaN) - (readHttpDate(headers.get('date')) ?? now)
}

/** The pause that a response requests, in ms; undefined if it requests none, so that the usual pause applies. */
export function retryAfter(headers: Headers, now: number = Date.now()): number | undefined {
  const ms = statedPauseMs(headers, now)
  return ms > 0 ? ms : undefined
}
