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
  let changed = Promise.withResolvers<void>()

  return {
    async claim(signal) {
      while (!signal.aborted) {
        const zone = queue.take(now())
        if (zone !== undefined) return { zone, epoch: 0, signal: never }
        const { promise } = changed
        const over = new AbortController()
        const next = queue.nextDue()
        const waits = AbortSignal.any([signal, over.signal])
        await Promise.race([promise, sleep(next === undefined ? Number.POSITIVE_INFINITY : next - now(), waits)])
        over.abort()
      }
      return undefined
    },
    async release({ zone }: Lease, nextDue, deadline) {
      queue.add(zone, nextDue, deadline)
      changed.resolve()
      changed = Promise.withResolvers()
    },
    async close() {},
  }
}
