import { setTimeout as sleep } from 'node:timers/promises'

/** Decides which zone has the next cycle. */
export type ZoneSchedule = ReturnType<typeof createZoneSchedule>

export interface Time {
  /** Milliseconds by a monotonic clock. */
  elapsed(): number
  /** Waits. Resolves early, without an error, if `signal` fires. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
}

/**
 * Distributes zones among the tasks of the process. At the start, all zones are due. No zone is given to two tasks at a time.
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
  function setZones(zones: readonly string[]): void {
    known = new Set(zones)
    for (const zone of idle.keys()) if (!known.has(zone)) idle.delete(zone)
    const atOnce = { due: Number.NEGATIVE_INFINITY, deadline: Number.NEGATIVE_INFINITY }
    for (const zone of known) if (!idle.has(zone) && !busy.has(zone)) idle.set(zone, atOnce)
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
  /** Tasks that wait for a zone, in order of arrival. All of them share one alarm. */
  const waiting = new Set<(zone: string | undefined) => void>()
  let alarm: { readonly at: number; readonly off: AbortController } | undefined

  /** Hands due zones to waiting tasks, and sets the alarm for the next one. */
  function serve(): void {
    for (const give of waiting) {
      const zone = take()
      if (zone === undefined) break
      give(zone)
    }
    const next = waiting.size > 0 ? Math.min(...[...idle.values()].map(({ due }) => due)) : Number.POSITIVE_INFINITY
    if (next !== alarm?.at) setAlarm(Number.isFinite(next) ? next : undefined)
  }
  function setAlarm(at: number | undefined): void {
    alarm?.off.abort()
    alarm = undefined
    if (at === undefined) return
    const mine = { at, off: new AbortController() }
    alarm = mine
    sleep(at - elapsed(), mine.off.signal).then(() => {
      if (alarm !== mine) return
      alarm = undefined
      serve()
    })
  }

  return {
    /** Claims the due zone whose deadline is next. Waits until a zone is due. Undefined after `signal` fires. */
    async claim(signal: AbortSignal): Promise<string | undefined> {
      if (signal.aborted) return undefined
      const zone = take()
      if (zone !== undefined) return zone
      return new Promise((resolve) => {
        const give = (zone: string | undefined) => {
          waiting.delete(give)
          signal.removeEventListener('abort', stop)
          resolve(zone)
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
    /**
     * Returns a zone to the schedule.
     *
     * @param waitMs time until the zone has work again
     * @param deadline the zone's oldest open window must be read until this time, in ms since 1970
     */
    release(zone: string, waitMs: number, deadline: number): void {
      busy.delete(zone)
      if (known.has(zone)) idle.set(zone, { due: elapsed() + waitMs, deadline })
      serve()
    },
    /** Replaces the zones. New zones are due immediately. A removed zone may finish its current cycle. */
    setZones(zones: readonly string[]): void {
      setZones(zones)
      serve()
    },
  }
}

/** Timers are limited to a signed int32 of milliseconds. */
const maxTimerMs = 2 ** 31 - 1

/** Waits by the machine's clock. Resolves early, without an error, if the signal fires. @param ms at most 25 days are waited */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.min(Math.max(ms, 0), maxTimerMs), undefined, { signal }).catch(() => {}) // the only error is an abort
}
