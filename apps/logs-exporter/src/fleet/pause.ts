/** Waits by the clock of the machine; ends early, without an error, when the signal fires. @param ms 0 or more; timers take less than 25 days */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, Math.min(ms, longestTimer))
    signal.addEventListener('abort', done)
  })
}

/** Timers take no more than a signed int32 of milliseconds. */
const longestTimer = 2 ** 31 - 1
