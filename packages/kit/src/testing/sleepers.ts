/** Tasks that wait for a virtual time. */
export interface Sleepers {
  /**
   * Waits until `wake` is called with this time or a later one.
   *
   * @param at in ms since 1970
   * @throws the signal's reason, if the signal fires first
   */
  sleep(at: number, signal?: AbortSignal): Promise<void>
  /** The earliest time that a task waits for, in ms; infinite if none waits. */
  next(): number
  /** Wakes the tasks that wait for this time or an earlier one, in the order of their times. */
  wake(time: number): void
}

/** Creates an empty list of waiting tasks. Tests move a clock to `next()`, and then call `wake`. */
export function createSleepers(): Sleepers {
  /** In the order of their times; among equal times, the first to sleep is the first to wake. */
  const waiting: { readonly at: number; readonly wake: () => void }[] = []

  function indexAfter(at: number): number {
    let [low, high] = [0, waiting.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((waiting[middle]?.at ?? 0) <= at) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    sleep: (at, signal) =>
      new Promise((resolve, reject) => {
        signal?.throwIfAborted()
        const sleeper = {
          at,
          wake() {
            signal?.removeEventListener('abort', stop)
            resolve()
          },
        }
        const stop = () => {
          const index = waiting.indexOf(sleeper)
          if (index !== -1) waiting.splice(index, 1)
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', stop, { once: true })
        waiting.splice(indexAfter(at), 0, sleeper)
      }),
    next: () => waiting[0]?.at ?? Number.POSITIVE_INFINITY,
    wake(time) {
      for (const { wake } of waiting.splice(0, indexAfter(time))) wake()
    },
  }
}
