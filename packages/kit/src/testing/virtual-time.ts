import { setImmediate } from 'node:timers/promises'

/** A clock that its user advances, such as the emulator's. */
export interface VirtualClock {
  now(): Date
  advance(ms: number): void
}

export type VirtualTime = ReturnType<typeof createVirtualTime>

/** Creates a clock that stands still until it is advanced. */
export function createClock(start = 0): VirtualClock {
  let time = start
  return {
    now: () => new Date(time),
    advance(ms) {
      time += ms
    },
  }
}

export interface VirtualTimeOptions {
  /** Consecutive iterations of the event loop without work in `during`, after which all tasks count as waiting; 4 by default. */
  readonly quietTurns?: number
  /** Whether time advances by itself as soon as a task waits, instead of by `run`. */
  readonly isAutomatic?: boolean
}

/** Creates virtual time from a clock. Time advances when all tasks wait, so hours pass in a second. */
export function createVirtualTime(clock: VirtualClock = createClock(), options: VirtualTimeOptions = {}) {
  const { quietTurns = 4, isAutomatic = false } = options
  /** Sleeping tasks in the order in which they wake; for equal times, in the order in which they fell asleep. */
  const waiting: { readonly at: number; readonly wake: () => void }[] = []
  let busy = 0
  let isRunning = false
  const now = () => clock.now().getTime()

  function indexAfter(at: number): number {
    let [low, high] = [0, waiting.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((waiting[middle]?.at ?? 0) <= at) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Lets all tasks run until they wait. @returns whether one of them sleeps, or `until` is finite */
  async function settle(until: number): Promise<boolean> {
    for (let quiet = 0; quiet < quietTurns; quiet++) {
      await setImmediate()
      if (waiting.length === 0 && until === Number.POSITIVE_INFINITY) return false
      if (busy > 0) quiet = -1
    }
    return true
  }

  /** Advances time to `until`, or until `isDone` returns true; without `until`, until no task waits. */
  async function run(until = Number.POSITIVE_INFINITY, isDone = () => false): Promise<void> {
    isRunning = true
    while ((await settle(until)) && !isDone()) {
      const next = waiting[0]?.at ?? Number.POSITIVE_INFINITY
      clock.advance(Math.max(Math.min(next, until) - now(), 0))
      if (next > until) break
      for (const { wake } of waiting.splice(0, indexAfter(now()))) wake()
    }
    isRunning = false
  }

  async function counting<T>(change: number, work: Promise<T>): Promise<T> {
    busy += change
    try {
      return await work
    } finally {
      busy -= change
    }
  }

  return {
    /** Milliseconds since 1970, by the clock. */
    now,
    run,
    /** Waits. If the signal fires first, rejects with the signal's reason. */
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        signal?.throwIfAborted()
        const at = now() + Math.max(ms, 0)
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
        if (isAutomatic && !isRunning) void run()
      }),
    /** Stops time until the promise settles. Use it for files, streams and sockets, which the simulation cannot see. */
    during: <T>(work: Promise<T>) => counting(1, work),
    /** Within `during`: lets time pass until the promise settles. */
    meanwhile: <T>(work: Promise<T>) => counting(-1, work),
  }
}
