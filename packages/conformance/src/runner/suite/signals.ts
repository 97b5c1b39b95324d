const signals = ['SIGINT', 'SIGTERM'] as const

/**
 * Runs work without its signal handlers. vitest exits on a signal before the report is written and writes are undone,
 * so the caller handles signals instead.
 */
export async function withoutSignalHandlers<T>(work: () => Promise<T>): Promise<T> {
  const refuse = (event: string | symbol, listener: (...args: unknown[]) => void) => {
    // This event comes before the listener is added, so remove the listener afterwards.
    if (signals.some((signal) => signal === event)) queueMicrotask(() => process.off(event, listener))
  }
  process.on('newListener', refuse)
  try {
    return await work()
  } finally {
    process.off('newListener', refuse)
  }
}

/** Turns signals into an orderly end. */
export interface RunInterruption {
  /** Fires at the first signal. */
  readonly signal: AbortSignal
  /** Stops listening. */
  release(): void
}

/**
 * Listens to SIGINT and SIGTERM. The first one requests an orderly end. The second one ends the process at once, and
 * the next run undoes what is left.
 */
export function listenToSignals(say: () => void): RunInterruption {
  const controller = new AbortController()
  const interrupt = () => {
    if (controller.signal.aborted) process.exit(130)
    controller.abort()
    say()
  }
  for (const signal of signals) process.on(signal, interrupt)
  return {
    signal: controller.signal,
    release() {
      for (const signal of signals) process.off(signal, interrupt)
    },
  }
}
