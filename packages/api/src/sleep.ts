/** Waits; rejects with the signal's reason when that fires first. Injected in tests, where time is virtual. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

/**
 * Waits by the runtime's timer.
 *
 * @param ms how long, in milliseconds
 * @param signal ends the wait early
 * @throws the signal's reason, when it fires first
 */
export const sleep: Sleep = (ms, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
