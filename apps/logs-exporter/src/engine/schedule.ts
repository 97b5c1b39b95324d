import { sleep } from '@cdn/kit/wait'
import { createNotifier, sleepUntil } from '../notifier.ts'

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

/** Inserts an entry into a list whose last entry is next: it has the smallest key and, among equal keys, was inserted first. */
function insert(list: Entry[], entry: Entry, key: 'due' | 'deadline'): void {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const { [key]: known } = list[middle] as Entry // within bounds
    if (known > entry[key]) low = middle + 1
    else high = middle
  }
  list.splice(low, 0, entry)
}

/**
 * Decides which zone has the next cycle. At the start, all zones are due. No zone is claimed twice before its release.
 *
 * @param zones ids of pull zones
 * @param time clock and timer
 */
export function createZoneSchedule(zones: readonly string[], { elapsed, sleep }: Time) {
  let known: ReadonlySet<string> = new Set()
  /** Zones that wait for their next cycle. The one that is due next is the last entry. */
  let later: Entry[] = []
  /** Zones that are due. The one whose deadline is next is the last entry. */
  let due: Entry[] = []
  /** Zones whose cycle runs, including zones that were removed meanwhile. */
  const busy = new Set<string>()
  const change = createNotifier()

  function setZones(zones: readonly string[]): void {
    known = new Set(zones)
    later = later.filter(({ zone }) => known.has(zone))
    due = due.filter(({ zone }) => known.has(zone))
    const waiting = new Set([...later, ...due].map(({ zone }) => zone))
    const added = [...known].filter((zone) => !waiting.has(zone) && !busy.has(zone)).reverse()
    const isNew = ({ deadline }: Entry) => deadline === Number.NEGATIVE_INFINITY
    const atOnce = { due: Number.NEGATIVE_INFINITY, deadline: Number.NEGATIVE_INFINITY }
    due = [...due.filter((entry) => !isNew(entry)), ...added.map((zone) => ({ zone, ...atOnce })), ...due.filter(isNew)]
    change.notify()
  }
  setZones(zones)

  function take(): string | undefined {
    const now = elapsed()
    for (let entry = later.at(-1); entry && entry.due <= now; entry = later.at(-1)) {
      later.pop()
      insert(due, entry, 'deadline')
    }
    const zone = due.pop()?.zone
    if (zone !== undefined) busy.add(zone)
    return zone
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
        const wakeAt = isFull ? undefined : later.at(-1)?.due
        const ms = (wakeAt ?? Number.POSITIVE_INFINITY) - elapsed()
        await sleepUntil(change.next(), { sleep, ms, signal })
      }
      return undefined
    },
    /**
     * Returns a zone to the schedule.
     *
     * @param waitMs time until the zone has work again
     * @param deadline the zone's oldest open window must be read by this time, in ms since 1970
     */
    release(zone: string, waitMs: number, deadline: number): void {
      busy.delete(zone)
      if (known.has(zone)) insert(later, { zone, due: elapsed() + waitMs, deadline }, 'due')
      change.notify()
    },
    /** Replaces the zones. New zones are due immediately. A removed zone may finish its current cycle. */
    setZones,
  }
}

/** Waits by the machine's clock. Resolves early, without an error, if the signal fires. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, signal).catch(() => {}) // the only error is an abort
}
