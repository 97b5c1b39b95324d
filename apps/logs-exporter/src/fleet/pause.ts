/** Waits by the clock of the machine; ends early, without an error, when the signal fires. @param ms at most 25 days are waited; none where it is negative */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, Math.min(Math.max(ms, 0), longestTimer))
    signal.addEventListener('abort', done)
  })
}

/** Timers take no more than a signed int32 of milliseconds. */
const longestTimer = 2 ** 31 - 1
