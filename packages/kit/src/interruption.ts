/** Tells whether the user or the system has requested the end of the process. */
export interface Interruption {
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal
  /** Stops listening. */
  release(): void
}

const signals = ['SIGINT', 'SIGTERM'] as const

/**
 * Turns the first SIGINT or SIGTERM into an abort, so that the program can clean up. The second signal ends the process at once
 * with exit code 130.
 *
 * @param onFirst called at the first signal
 */
export function listenForInterruption(onFirst: () => void = () => {}): Interruption {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(130)
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
