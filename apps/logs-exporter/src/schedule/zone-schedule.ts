import { createDueQueue } from './due-queue.ts'

/** Decides which zone has the next cycle. */
export interface ZoneSchedule {
  /** Claims the due zone whose deadline is next. Waits until a zone is due. Undefined after `signal` fires. */
  claim(signal: AbortSignal): Promise<string | undefined>
  /**
   * Returns a zone to the schedule.
   *
   * @param waitMs time until the zone has work again
   * @param deadline the zone's oldest open window must be read until this time, in ms since 1970
   */
  release(zone: string, waitMs: number, deadline: number): void
  /** Replaces the zones. New zones are due immediately. A removed zone may finish its current cycle. */
  setZones(zones: readonly string[]): void
}

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
export function createZoneSchedule(zones: readonly string[], { elapsed, sleep }: Time): ZoneSchedule {
  const queue = createDueQueue()
  let known: ReadonlySet<string> = new Set()
  /** Zones in the queue or in a cycle. Zones that were removed meanwhile are included. */
  const present = new Set<string>()
  function setZones(zones: readonly string[]): void {
    known = new Set(zones)
    for (const zone of known) {
      if (present.has(zone)) continue
      present.add(zone)
      queue.add(zone, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY)
    }
  }
  setZones(zones)
  /** Takes a due zone. Drops removed zones on the way. */
  function take(): string | undefined {
    for (;;) {
      const zone = queue.take(elapsed())
      if (zone === undefined || known.has(zone)) return zone
      present.delete(zone)
    }
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
    const next = waiting.size > 0 ? queue.nextDue() : undefined
    if (next !== alarm?.at) setAlarm(next)
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
    async claim(signal) {
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
    release(zone, waitMs, deadline) {
      queue.add(zone, elapsed() + waitMs, deadline)
      serve()
    },
    setZones(zones) {
      setZones(zones)
      serve()
    },
  }
}
