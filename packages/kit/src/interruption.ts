/** Shows whether the user or the system has requested the end of the process. */
export interface Interruption {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal
  /** Stops listening. */
  release(): void
}

/**
 * How long after the handling of the first signal a second one is ignored, in ms: `timeout` and terminals signal a process, and then its
 * group.
 */
const repeatMs = 250

export interface InterruptionOptions {
  /** By default SIGINT and SIGTERM. SIGHUP would end a program that `nohup` started. */
  readonly signals?: readonly NodeJS.Signals[]
  /** Maximum time from the first signal to the end of the process, in ms; unlimited by default. */
  readonly maxEndMs?: number
}

let interrupted = false

/** Whether a signal has requested the end of this process. */
export function isInterrupted(): boolean {
  return interrupted
}

/**
 * Turns the first signal into an abort, so that the program can clean up. A second signal, after `repeatMs`, ends the process at once with
 * exit code 130.
 *
 * @param onFirst called at the first signal
 */
export function listenForInterruption(
  onFirst: () => void = () => {},
  { signals = ['SIGINT', 'SIGTERM'], maxEndMs }: InterruptionOptions = {},
): Interruption {
  const controller = new AbortController()
  let handledAt = Number.POSITIVE_INFINITY
  const interrupt = () => {
    if (controller.signal.aborted) {
      if (performance.now() - handledAt >= repeatMs) process.exit(130)
      return
    }
    interrupted = true
    if (maxEndMs !== undefined) setTimeout(() => process.exit(130), maxEndMs).unref()
    controller.abort(new Error('interrupted'))
    onFirst()
    // Ending many requests can block this process for seconds. A second signal is delivered only afterwards.
    setImmediate(() => {
      handledAt = performance.now()
    })
  }
  for (const signal of signals) process.on(signal, interrupt)
  return {
    signal: controller.signal,
    release() {
      for (const signal of signals) process.off(signal, interrupt)
    },
  }
}
