/** Waits by the machine's clock. Resolves early, without an error, if the signal fires. @param ms at most 25 days are waited */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, Math.min(Math.max(ms, 0), maxTimerMs))
    signal.addEventListener('abort', done)
  })
}

/** Timers are limited to a signed int32 of milliseconds. */
const maxTimerMs = 2 ** 31 - 1
