import { setTimeout as sleep } from 'node:timers/promises'
import { createWake, sleepUntil } from '../wake.ts'
import { createHeap, type Heap } from './heap.ts'

interface Entry {
  readonly zone: string
  /** When the zone has work again, by the monotonic clock. */
  readonly due: number
  readonly deadline: number
}

export type ZoneSchedule = ReturnType<typeof createZoneSchedule>

export interface Time {
  /** Milliseconds by a monotonic clock. */
  elapsed(): number
  /** Waits. Resolves early, without an error, if `signal` fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/**
 * Decides which zone has the next cycle. At the start, all zones are due. No zone is claimed twice before its release.
 *
 * @param zones ids of pull zones
 * @param time clock and timer
 */
export function createZoneSchedule(zones: readonly string[], { elapsed, sleep }: Time) {
  let known: ReadonlySet<string> = new Set()
  /** The entry of each zone that waits for its next cycle. Entries in the heaps that are not here are outdated. */
  const idle = new Map<string, Entry>()
  const later = createHeap<Entry>(({ due }) => due)
  const due = createHeap<Entry>(({ deadline }) => deadline)
  /** Zones that have a cycle, including those that were removed meanwhile. */
  const busy = new Set<string>()
  const change = createWake()

  function add(entry: Entry): void {
    idle.set(entry.zone, entry)
    later.push(entry)
  }
  function setZones(zones: readonly string[]): void {
    known = new Set(zones)
    for (const zone of idle.keys()) if (!known.has(zone)) idle.delete(zone)
    const atOnce = { due: Number.NEGATIVE_INFINITY, deadline: Number.NEGATIVE_INFINITY }
    for (const zone of known) if (!idle.has(zone) && !busy.has(zone)) add({ zone, ...atOnce })
    change.wake()
  }
  setZones(zones)

  function firstOf(heap: Heap<Entry>): Entry | undefined {
    for (let entry = heap.first(); entry; entry = heap.first()) {
      if (idle.get(entry.zone) === entry) return entry
      heap.shift()
    }
    return undefined
  }
  function take(): string | undefined {
    const now = elapsed()
    for (let entry = firstOf(later); entry && entry.due <= now; entry = firstOf(later)) {
      later.shift()
      due.push(entry)
    }
    const next = firstOf(due)
    if (!next) return undefined
    due.shift()
    idle.delete(next.zone)
    busy.add(next.zone)
    return next.zone
  }

  return {
    /**
     * Claims the due zone whose deadline is next. Waits until a zone is due, and fewer than `parallel` zones are claimed.
     *
     * @returns undefined after `signal` fires
     */
    async claim(signal: AbortSignal, parallel = Number.POSITIVE_INFINITY): Promise<string | undefined> {
      while (!signal.aborted) {
        const isFull = busy.size >= parallel
        const zone = isFull ? undefined : take()
        if (zone !== undefined) return zone
        const wakeAt = isFull ? undefined : firstOf(later)?.due
        const ms = (wakeAt ?? Number.POSITIVE_INFINITY) - elapsed()
        await sleepUntil(change.next(), { sleep, ms, signal })
      }
      return undefined
    },
    /**
     * Returns a zone to the schedule.
     *
     * @param waitMs time until the zone has work again
     * @param deadline the zone's oldest open window must be read until this time, in ms since 1970
     */
    release(zone: string, waitMs: number, deadline: number): void {
      busy.delete(zone)
      if (known.has(zone)) add({ zone, due: elapsed() + waitMs, deadline })
      change.wake()
    },
    /** Replaces the zones. New zones are due immediately. A removed zone may finish its current cycle. */
    setZones,
  }
}

/** Timers are limited to a signed int32 of milliseconds. */
const maxTimerMs = 2 ** 31 - 1

/** Waits by the machine's clock. Resolves early, without an error, if the signal fires. @param ms a pause of more than 24 days is cut short */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.min(Math.max(ms, 0), maxTimerMs), undefined, { signal }).catch(() => {}) // the only error is an abort
}
