import type { Traffic } from '../traffic/traffic.ts'
import { createBlockCache } from './block-cache.ts'
import type { LogRow } from './log-row.ts'
import { addedRows, byTime, merge, minuteOf, type Order, walk } from './log-walk.ts'
import { addTo, arrived, countIn, type Minute, settle } from './minute.ts'

/** Rows of one zone between two times. They are read while they are walked, a minute or a block of traffic at a time. */
export interface LogRange {
  /** Rows by time; of equal times, `desc` gives the reverse of `asc`. */
  rows(order: Order): Iterable<LogRow>
}

/** All log rows of all zones, by time. Both logging versions are views of it. */
export interface LogStore {
  /** Adds rows, in any order and of any zone; a row becomes readable at its `visibleFrom`. */
  append(rows: Iterable<LogRow>): void
  /** Gives a zone traffic for all times, past and future, in place of what it had; none where undefined. */
  setTraffic(zoneId: string, traffic: Traffic | undefined): void
  /**
   * Rows with `from <= timestamp < to`, those not yet visible included.
   *
   * @param from milliseconds, inclusive
   * @param to milliseconds, exclusive
   */
  range(zoneId: string, from: number, to: number): LogRange
  /**
   * What is kept for a zone, oldest first: past the retention (by up to a day) and not yet visible too; of its traffic,
   * whatever has happened. An oracle for tests, which reads by a way of its own. A busy zone holds millions of rows:
   * read those by spans.
   *
   * @param from milliseconds, inclusive; the oldest where absent
   * @param to milliseconds, exclusive; the newest where absent
   */
  rows(zoneId: string, from?: number, to?: number): LogRow[]
  /** How many rows `rows` would give for a zone, without making them. */
  count(zoneId: string): number
}

interface ZoneLog {
  readonly minutes: Map<number, Minute>
  /** The minute that the last row came into. */
  latest: Minute | undefined
  traffic: Traffic | undefined
}

/** Rows are kept for this long after the retention: they must never be shown, and a test can see that they are not. */
const afterRetention = 24 * 3_600_000

/**
 * An empty store.
 *
 * @param now the clock, in milliseconds; traffic goes as far
 * @param retention milliseconds; older rows are dropped a day later
 */
export function createLogStore(now: () => number, retention: number): LogStore {
  const zones = new Map<string, ZoneLog>()
  const cache = createBlockCache()
  const oldestKept = () => now() - retention - afterRetention
  let swept = Number.NEGATIVE_INFINITY

  function logOf(zoneId: string): ZoneLog {
    const log = zones.get(zoneId) ?? { minutes: new Map(), latest: undefined, traffic: undefined }
    zones.set(zoneId, log)
    return log
  }

  /** Drops what is too old, at most once a minute of the clock. */
  function sweep(): void {
    const oldest = minuteOf(oldestKept())
    if (oldest <= swept) return
    swept = oldest
    for (const { minutes } of zones.values()) {
      for (const minute of minutes.keys()) if (minute < oldest) minutes.delete(minute)
    }
  }

  return {
    append(rows) {
      sweep()
      for (const row of rows) {
        const log = logOf(row.pullZoneId)
        const number = minuteOf(row.timestamp)
        const minute = log.minutes.get(number) ?? { packs: [], latest: [] }
        if (log.latest && log.latest !== minute) settle(log.latest)
        log.latest = minute
        log.minutes.set(number, minute)
        addTo(minute, row)
      }
    },
    setTraffic(zoneId, traffic) {
      logOf(zoneId).traffic = traffic
      cache.clear()
    },
    range(zoneId, from, to) {
      sweep()
      const log = zones.get(zoneId)
      const start = Math.max(from, oldestKept())
      return {
        rows(order) {
          if (!log) return []
          const added = log.minutes.size > 0 ? addedRows(log.minutes, start, to, order) : undefined
          if (!log.traffic) return added ?? []
          // What has not happened yet cannot be visible.
          const made = walk(cache.of(zoneId, log.traffic), start, Math.min(to, now() + 1), order)
          return added ? merge(made, added, order) : made
        },
      }
    },
    rows(zoneId, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY) {
      sweep()
      const { minutes, traffic } = zones.get(zoneId) ?? {}
      const isWithin = ({ timestamp }: LogRow) => timestamp >= from && timestamp < to
      const found: LogRow[] = []
      if (traffic) {
        const last = Math.floor(Math.min(to, now()) / traffic.blockMs)
        for (let block = Math.floor(Math.max(from, oldestKept()) / traffic.blockMs); block <= last; block++)
          for (const row of traffic.rowsOf(block))
            if (isWithin(row) && row.timestamp <= now() && row.timestamp >= oldestKept()) found.push(row)
      }
      for (const minute of minutes?.values() ?? [])
        for (const row of arrived(minute)) if (isWithin(row)) found.push(row)
      return found.sort(byTime)
    },
    count(zoneId) {
      const { minutes, traffic } = zones.get(zoneId) ?? {}
      let count = 0
      for (const minute of minutes?.values() ?? []) count += countIn(minute)
      return traffic ? count + traffic.count(oldestKept(), now() + 1) : count
    },
  }
}
