const signals = ['SIGINT', 'SIGTERM'] as const

/**
 * Runs `work`, but removes the signal handlers that it adds. vitest would exit on a signal before the report is written
 * and before writes are undone. So the caller handles signals instead.
 */
export async function withoutSignalHandlers<T>(work: () => Promise<T>): Promise<T> {
  const refuse = (event: string | symbol, listener: (...args: unknown[]) => void) => {
    // `newListener` is emitted before the listener is added, so remove the listener afterwards.
    if (signals.some((signal) => signal === event)) queueMicrotask(() => process.off(event, listener))
  }
  process.on('newListener', refuse)
  try {
    return await work()
  } finally {
    process.off('newListener', refuse)
  }
}
