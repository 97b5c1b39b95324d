import type { Traffic } from '../traffic/traffic.ts'
import { createBlockCache } from './block-cache.ts'
import type { RowSelection, StoredLogRow } from './log-row.ts'
import { skipBlocks } from './log-skip.ts'
import { byTime, merge, minuteOf, type Order, storedRows, walk } from './log-walk.ts'
import { addTo, createMinute, type Minute, packIfLarge, rowCountIn, rowsIn } from './minute.ts'

/** Rows of one zone between two times. An iteration loads one minute at a time, or one block of traffic. */
export interface StoredLogRange {
  /** Returns the rows by time. For rows of equal time, `desc` is the reverse of `asc`. */
  rows(order: Order): Iterable<StoredLogRow>
  /**
   * Skips rows at the beginning by counting whole blocks.
   *
   * @param count number of selected rows to skip
   * @returns the rest of the range, and the number of rows that remain to be skipped in it
   */
  skip(order: Order, count: number, shown: RowSelection): Promise<{ range: StoredLogRange; left: number }>
}

/** All log rows of all zones, by time. Both logging versions read from it. */
export interface LogStore {
  /** Adds rows of any zones, in any order. A row becomes visible at its `visibleFrom`. */
  append(rows: Iterable<StoredLogRow>): void
  /** Removes the appended rows of a zone. */
  clear(zoneId: string): void
  /** Sets the continuous traffic of a zone, past and future. It replaces earlier traffic; undefined removes it. */
  setTraffic(zoneId: string, traffic: Traffic | undefined): void
  /**
   * Returns the rows with `from <= timestamp < to`, including rows that are not visible yet.
   *
   * @param from milliseconds, inclusive
   * @param to milliseconds, exclusive
   */
  range(zoneId: string, from: number, to: number): StoredLogRange
  /**
   * Returns all rows of a zone, oldest first. They include rows that are not visible yet, and rows up to a day past the
   * retention. This function is an oracle for tests and shares no iteration or cache with `range`. A busy zone holds millions of
   * rows, so read them in time ranges.
   *
   * @param from milliseconds, inclusive; no bound by default
   * @param to milliseconds, exclusive; no bound by default
   */
  rows(zoneId: string, from?: number, to?: number): StoredLogRow[]
  /** Counts the rows that `rows` would return for a zone. Only the blocks at both ends of the traffic are generated. */
  count(zoneId: string): number
}

interface ZoneLog {
  readonly minutes: Map<number, Minute>
  /** The minute of the last appended row. */
  latest: Minute | undefined
  traffic: Traffic | undefined
}

/** How long rows are kept after the retention, in milliseconds, so that tests can verify that they are not shown. */
const afterRetentionMs = 24 * 3_600_000

/**
 * Creates an empty store.
 *
 * @param now returns the time of the clock in milliseconds; traffic ends at that time
 * @param retention milliseconds; older rows are dropped a day later
 */
export function createLogStore(now: () => number, retention: number): LogStore {
  const zones = new Map<string, ZoneLog>()
  const cache = createBlockCache()
  const oldestKept = () => now() - retention - afterRetentionMs
  let swept = Number.NEGATIVE_INFINITY

  function logOf(zoneId: string): ZoneLog {
    const log = zones.get(zoneId) ?? { minutes: new Map(), latest: undefined, traffic: undefined }
    zones.set(zoneId, log)
    return log
  }

  /** Removes rows that are too old, at most once per minute of the clock. */
  function sweep(): void {
    const oldest = minuteOf(oldestKept())
    if (oldest <= swept) return
    swept = oldest
    for (const { minutes } of zones.values()) {
      for (const minute of minutes.keys()) if (minute < oldest) minutes.delete(minute)
    }
  }

  function rangeOf(zoneId: string, log: ZoneLog | undefined, from: number, to: number): StoredLogRange {
    return {
      rows(order) {
        if (!log) return []
        const stored = log.minutes.size > 0 ? storedRows(log.minutes, from, to, order) : undefined
        if (!log.traffic) return stored ?? []
        const generated = walk(cache.of(zoneId, log.traffic), from, to, order)
        return stored ? merge(generated, stored, order) : generated
      },
      async skip(order, count, shown) {
        if (!log) return { range: this, left: count }
        const rest = await skipBlocks(log, { from, to, left: count }, order, shown)
        return { range: rangeOf(zoneId, log, rest.from, rest.to), left: rest.left }
      },
    }
  }

  return {
    append(rows) {
      sweep()
      for (const row of rows) {
        const log = logOf(row.pullZoneId)
        const number = minuteOf(row.timestamp)
        const minute = log.minutes.get(number) ?? createMinute()
        if (log.latest && log.latest !== minute) packIfLarge(log.latest)
        log.latest = minute
        log.minutes.set(number, minute)
        addTo(minute, row)
      }
    },
    setTraffic(zoneId, traffic) {
      logOf(zoneId).traffic = traffic
      cache.clear()
    },
    clear(zoneId) {
      const log = logOf(zoneId)
      log.minutes.clear()
      log.latest = undefined
    },
    range(zoneId, from, to) {
      sweep()
      const log = zones.get(zoneId)
      // Traffic after the current time has not happened yet.
      return rangeOf(zoneId, log, Math.max(from, oldestKept()), log?.traffic ? Math.min(to, now() + 1) : to)
    },
    rows(zoneId, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY) {
      sweep()
      const { minutes, traffic } = zones.get(zoneId) ?? {}
      const isWithin = ({ timestamp }: StoredLogRow) => timestamp >= from && timestamp < to
      const rows: StoredLogRow[] = []
      if (traffic) {
        const last = Math.floor(Math.min(to, now()) / traffic.blockMs)
        for (let block = Math.floor(Math.max(from, oldestKept()) / traffic.blockMs); block <= last; block++)
          for (const row of traffic.rowsOf(block))
            if (isWithin(row) && row.timestamp <= now() && row.timestamp >= oldestKept()) rows.push(row)
      }
      for (const minute of minutes?.values() ?? []) for (const row of rowsIn(minute)) if (isWithin(row)) rows.push(row)
      return rows.sort(byTime)
    },
    count(zoneId) {
      sweep()
      const { minutes, traffic } = zones.get(zoneId) ?? {}
      let count = 0
      for (const minute of minutes?.values() ?? []) count += rowCountIn(minute)
      return traffic ? count + traffic.count(oldestKept(), now() + 1) : count
    },
  }
}
