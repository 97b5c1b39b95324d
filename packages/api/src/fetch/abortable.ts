/** Waits; rejects with the signal's reason if that fires first. Tests inject one with virtual time. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

/**
 * Waits by the runtime's timer.
 *
 * @param ms how long, in milliseconds
 * @param signal ends the wait early
 * @throws the signal's reason, if it fires first
 */
export const sleep: Sleep = (ms, signal) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const passed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  return unlessAborted(passed, signal).finally(() => clearTimeout(timer))
}

/**
 * Waits for a promise until a signal fires.
 *
 * @throws the signal's reason, if it fires first; else the rejection of the promise
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
