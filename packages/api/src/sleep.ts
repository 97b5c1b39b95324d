/** Waits; rejects with the signal's reason when that fires first. Injected in tests, where time is virtual. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

/**
 * Waits by the runtime's timer.
 *
 * @param ms how long, in milliseconds
 * @param signal ends the wait early
 * @throws the signal's reason, when it fires first
 */
export const sleep: Sleep = (ms, signal) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return unlessAborted(passed, signal).finally(() => clearTimeout(timer))
}

/**
 * Waits for a promise, but no longer than until a signal fires.
 *
 * @throws the signal's reason, when it fires first; else what the promise rejects with
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
