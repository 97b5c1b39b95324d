import { defined } from '@cdn/kit/defined'

/** A virtual clock. Its time advances when no other work is left, so hours of it pass in a second. */
export interface VirtualTime {
  /** The current time in milliseconds. */
  now(): number
  /** Waits for a duration. Rejects with the signal's reason if the signal fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Advances time to `until`; without `until`, until all waits are over. */
  run(until?: number): Promise<void>
}

/** Creates a clock whose sleepers wake in the order of their times. */
export function createVirtualTime(start = 0): VirtualTime {
  let time = start
  const heap: { at: number; wake: () => void }[] = []

  function add(at: number, wake: () => void): void {
    let index = heap.push({ at, wake }) - 1
    for (let parent = (index - 1) >> 1; index > 0 && isBefore(index, parent); parent = (index - 1) >> 1) {
      swap(index, parent)
      index = parent
    }
  }
  function take(): { at: number; wake: () => void } | undefined {
    const [first] = heap
    const last = heap.pop()
    if (heap.length === 0 || !last) return first
    heap[0] = last
    for (let index = 0; ; ) {
      const [left, right] = [2 * index + 1, 2 * index + 2]
      let least = index
      if (left < heap.length && isBefore(left, least)) least = left
      if (right < heap.length && isBefore(right, least)) least = right
      if (least === index) return first
      swap(index, least)
      index = least
    }
  }
  const isBefore = (a: number, b: number) => defined(heap[a]).at < defined(heap[b]).at
  function swap(a: number, b: number): void {
    const [first, second] = [heap[a], heap[b]]
    if (first && second) [heap[a], heap[b]] = [second, first]
  }

  return {
    now: () => time,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const stop = () => reject(signal?.reason)
        signal?.addEventListener('abort', stop)
        add(time + Math.max(ms, 0), () => {
          signal?.removeEventListener('abort', stop)
          resolve()
        })
      }),
    async run(until = Number.POSITIVE_INFINITY) {
      for (;;) {
        await new Promise(setImmediate) // lets all other promises resolve first
        const [next] = heap
        if (!next || next.at > until) {
          if (until < Number.POSITIVE_INFINITY) time = Math.max(time, until)
          return
        }
        take()
        time = Math.max(time, next.at)
        next.wake()
      }
    },
  }
}
