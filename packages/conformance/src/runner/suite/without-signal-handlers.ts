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
