import type { Coordinator, Lease } from './coordinator.ts'
import { createDueQueue } from './due-queue.ts'

/** How time passes for a coordinator. */
export interface Time {
  /** Milliseconds since 1970, by the clock that `nextDue` is given in. */
  now(): number
  /** Waits; ends early, without an error, when `signal` fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/**
 * Shares zones between the tasks of one process. All of them are due at once; each goes to one task at a time.
 *
 * @param zones ids of pull zones
 * @param time the clock, and how to wait
 */
export function createLocalCoordinator(zones: readonly string[], { now, sleep }: Time): Coordinator {
  const queue = createDueQueue()
  for (const zone of zones) queue.add(zone, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY)
  const never = new AbortController().signal
  /** Tasks that wait for a zone, the first come first. One alarm serves them all: waking each of them would cost their number. */
  const waiting = new Set<(lease: Lease | undefined) => void>()
  let alarm: { readonly at: number; readonly off: AbortController } | undefined

  function takeDue(): Lease | undefined {
    const zone = queue.take(now())
    return zone === undefined ? undefined : { zone, epoch: 0, signal: never }
  }
  /** Gives those who wait what is due, and sets the alarm for what will be. */
  function serve(): void {
    for (const give of waiting) {
      const lease = takeDue()
      if (!lease) break
      give(lease)
    }
    const next = waiting.size > 0 ? queue.nextDue() : undefined
    if (next !== alarm?.at) setAlarm(next)
  }
  function setAlarm(at: number | undefined): void {
    alarm?.off.abort()
    alarm = undefined
    if (at === undefined) return
    const mine = { at, off: new AbortController() }
    alarm = mine
    sleep(at - now(), mine.off.signal).then(() => {
      if (alarm !== mine) return
      alarm = undefined
      serve()
    })
  }

  return {
    async claim(signal) {
      if (signal.aborted) return undefined
      const lease = takeDue()
      if (lease) return lease
      return new Promise((resolve) => {
        const give = (given: Lease | undefined) => {
          waiting.delete(give)
          signal.removeEventListener('abort', stop)
          resolve(given)
        }
        const stop = () => {
          give(undefined)
          if (waiting.size === 0) setAlarm(undefined)
        }
        signal.addEventListener('abort', stop)
        waiting.add(give)
        serve()
      })
    },
    async release({ zone }: Lease, nextDue, deadline) {
      queue.add(zone, nextDue, deadline)
      serve()
    },
    async close() {},
  }
}
