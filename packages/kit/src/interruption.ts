/** Shows whether the user or the system has requested the end of the process. */
export interface Interruption {
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal
  /** Stops listening. */
  release(): void
}

const signals = ['SIGINT', 'SIGTERM'] as const

/** Time in ms within which a second signal is the same one: `timeout` and terminals signal a process, and then its group. */
const sameMs = 1_000

/**
 * Turns the first SIGINT or SIGTERM into an abort, so that the program can clean up. A second signal, a second later or more, ends the
 * process at once with exit code 130.
 *
 * @param onFirst called at the first signal
 */
export function listenForInterruption(onFirst: () => void = () => {}): Interruption {
  const controller = new AbortController()
  let firstAt = 0
  const interrupt = () => {
    if (controller.signal.aborted) {
      if (performance.now() - firstAt >= sameMs) process.exit(130)
      return
    }
    firstAt = performance.now()
    controller.abort(new Error('interrupted'))
    onFirst()
  }
  for (const signal of signals) process.on(signal, interrupt)
  return {
    signal: controller.signal,
    release() {
      for (const signal of signals) process.off(signal, interrupt)
    },
  }
}
