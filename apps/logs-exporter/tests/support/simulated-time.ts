import type { Clock } from '@cdn/emulator'

/** Virtual time that passes when nobody has anything left to do but wait. */
export interface SimulatedTime {
  /** Milliseconds since 1970, by the emulator's clock. */
  now(): number
  /** Waits; rejects with the signal's reason when that fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Counts what is under way outside of promises (files, streams), so that time stands still for it. */
  during<T>(work: Promise<T>): Promise<T>
  /** Lets time pass until `end`, or until `isDone` says so. */
  run(end: number, isDone?: () => boolean): Promise<void>
}

/** Turns of the event loop in which nothing was under way, after which everybody waits. */
const quietTurns = 4

/** Moves the emulator's clock, which is the only one. Sleepers wake in the order of their time. */
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
        // All that wake at one time wake together.
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
