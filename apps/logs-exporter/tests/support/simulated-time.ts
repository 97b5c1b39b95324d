import type { Clock } from '@cdn/emulator'

/** Virtual time. It advances when all tasks wait. */
export interface SimulatedTime {
  /** Milliseconds since 1970, by the emulator's clock. */
  now(): number
  /** Waits. If the signal fires first, rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Stops time until the promise settles. Use it for file and stream operations, which the simulation cannot see. */
  during<T>(work: Promise<T>): Promise<T>
  /** Advances time until `end`, or until `isDone` returns true. */
  run(end: number, isDone?: () => boolean): Promise<void>
}

/** After this many iterations of the event loop without activity, all tasks count as waiting. */
const quietTurns = 4

/** Creates virtual time from the emulator's clock, which is the only clock. Sleepers wake in the order of their times. */
export function createSimulatedTime(clock: Clock): SimulatedTime {
  const now = () => clock.now().getTime()
  const sleepers: Sleeper[] = []
  let underWay = 0

  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < quietTurns; quiet++) {
      await new Promise(setImmediate)
      if (underWay > 0) quiet = -1
    }
  }

  return {
    now,
    sleep(ms, signal) {
      return new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        const sleeper: Sleeper = { at: now() + Math.max(ms, 0), wake: resolve, isAwake: false }
        const stop = () => {
          sleeper.isAwake = true
          reject(signal?.reason)
        }
        signal?.addEventListener('abort', stop, { once: true })
        sleeper.wake = () => {
          signal?.removeEventListener('abort', stop)
          resolve()
        }
        push(sleepers, sleeper)
      })
    },
    async during(work) {
      underWay++
      try {
        return await work
      } finally {
        underWay--
      }
    },
    async run(end, isDone = () => false) {
      for (;;) {
        await settle()
        if (isDone()) return
        while (sleepers[0]?.isAwake) pop(sleepers)
        const [next] = sleepers
        const at = Math.min(next?.at ?? end, end)
        if (at > now()) clock.advance(at - now())
        if (!next || next.at > end) return
        // Wakes all sleepers that have the same time together.
        while (sleepers[0] && (sleepers[0].isAwake || sleepers[0].at <= now())) {
          const sleeper = pop(sleepers)
          if (!sleeper?.isAwake) sleeper?.wake()
        }
      }
    },
  }
}

interface Sleeper {
  readonly at: number
  wake: () => void
  isAwake: boolean
}

function push(heap: Sleeper[], sleeper: Sleeper): void {
  let at = heap.push(sleeper) - 1
  for (let parent = (at - 1) >> 1; at > 0 && timeAt(heap, at) < timeAt(heap, parent); parent = (at - 1) >> 1) {
    swap(heap, at, parent)
    at = parent
  }
}

function pop(heap: Sleeper[]): Sleeper | undefined {
  const first = heap[0]
  const last = heap.pop()
  if (heap.length === 0 || !last) return first
  heap[0] = last
  for (let at = 0; ; ) {
    const left = 2 * at + 1
    const child = timeAt(heap, left + 1) < timeAt(heap, left) ? left + 1 : left
    if (!(timeAt(heap, child) < timeAt(heap, at))) return first
    swap(heap, at, child)
    at = child
  }
}

const timeAt = (heap: Sleeper[], at: number) => heap[at]?.at ?? Number.POSITIVE_INFINITY

function swap(heap: Sleeper[], a: number, b: number): void {
  const [first, second] = [heap[a], heap[b]]
  if (first && second) [heap[a], heap[b]] = [second, first]
}
