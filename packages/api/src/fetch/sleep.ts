/** Waits. Rejects with the signal's reason if the signal fires first. Tests inject a function with virtual time. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

/** Maximum duration of a timer, in milliseconds: almost 25 days. The runtime fires a longer timer at once. */
export const maxTimerMs = 2 ** 31 - 1

/**
 * Waits with the runtime's timer.
 *
 * @param ms duration in milliseconds; ends early if it is longer than a timer can be
 * @param signal ends the wait early
 * @throws the signal's reason, if it fires first
 */
export const sleep: Sleep = (ms, signal) =>
  new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(ms, maxTimerMs),
    )
    signal?.addEventListener('abort', stop)
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
