const signals = ['SIGINT', 'SIGTERM'] as const

/**
 * Does something without letting it listen to signals. vitest exits at one by itself, before a report could be written or
 * a write taken back; the caller decides what a signal means.
 */
export async function withoutSignalHandlers<T>(work: () => Promise<T>): Promise<T> {
  const refuse = (event: string | symbol, listener: (...args: unknown[]) => void) => {
    // The listener is about to be added, so it can be removed only afterwards.
    if (signals.some((signal) => signal === event)) queueMicrotask(() => process.off(event, listener))
  }
  process.on('newListener', refuse)
  try {
    return await work()
  } finally {
    process.off('newListener', refuse)
  }
}

/** Turns signals into an end in good order. */
export interface Interruption {
  /** Fires at the first signal. */
  readonly signal: AbortSignal
  /** Listens no longer. */
  release(): void
}

/**
 * Listens to SIGINT and SIGTERM. The first asks for an end; the second ends the process at once, and what it leaves is
 * for the next run.
 */
export function onInterruption(say: () => void): Interruption {
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
