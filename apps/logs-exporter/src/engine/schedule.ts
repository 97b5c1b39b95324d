import { setTimeout as sleep } from 'node:timers/promises'

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
  /** Zones that wait for their next cycle. To scan them for each cycle is fast enough for ten thousand zones. */
  const idle = new Map<string, { readonly due: number; readonly deadline: number }>()
  /** Zones that have a cycle, including those that were removed meanwhile. */
  const busy = new Set<string>()
  /** Resolves at the next change of the zones above. */
  let change = Promise.withResolvers<void>()

  function notify(): void {
    change.resolve()
    change = Promise.withResolvers()
  }
  function setZones(zones: readonly string[]): void {
    known = new Set(zones)
    for (const zone of idle.keys()) if (!known.has(zone)) idle.delete(zone)
    const atOnce = { due: Number.NEGATIVE_INFINITY, deadline: Number.NEGATIVE_INFINITY }
    for (const zone of known) if (!idle.has(zone) && !busy.has(zone)) idle.set(zone, atOnce)
    notify()
  }
  setZones(zones)

  function take(): string | undefined {
    const now = elapsed()
    let next: { readonly zone: string; readonly deadline: number } | undefined
    for (const [zone, { due, deadline }] of idle)
      if (due <= now && (!next || deadline < next.deadline)) next = { zone, deadline }
    if (!next) return undefined
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
        const due = isFull ? Number.POSITIVE_INFINITY : Math.min(...[...idle.values()].map(({ due }) => due))
        const changed = new AbortController()
        const alarm = sleep(due - elapsed(), AbortSignal.any([signal, changed.signal]))
        await Promise.race([change.promise, alarm])
        changed.abort()
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
      if (known.has(zone)) idle.set(zone, { due: elapsed() + waitMs, deadline })
      notify()
    },
    /** Replaces the zones. New zones are due immediately. A removed zone may finish its current cycle. */
    setZones,
  }
}

/** Timers are limited to a signed int32 of milliseconds. */
const maxTimerMs = 2 ** 31 - 1

/** Waits by the machine's clock. Resolves early, without an error, if the signal fires. @param ms at most 25 days are waited */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.min(Math.max(ms, 0), maxTimerMs), undefined, { signal }).catch(() => {}) // the only error is an abort
}
