import { assertDefined } from '@cdn/kit/assert-defined'
import { dayMs } from '@cdn/kit/time'
import type { Traffic } from '../traffic/traffic.ts'
import type { StoredLogRow } from './log-row.ts'

export type Order = 'asc' | 'desc'

/** All log rows of all zones, by time. Both logging versions read from it. */
export interface LogStore {
  /** Adds rows of any zones, in any order. A row becomes visible at its `visibleFrom`, but not before its time. */
  append(rows: Iterable<StoredLogRow>): void
  /** Removes the appended rows of a zone. */
  clear(zoneId: string): void
  /** Sets the continuous traffic of a zone, past and future. It replaces earlier traffic; undefined removes it. */
  setTraffic(zoneId: string, traffic: Traffic | undefined): void
  /**
   * Returns the rows with `from <= timestamp < to` by time, in blocks, including rows that are not visible yet. For rows of equal
   * time, `desc` is the reverse of `asc`. All rows of equal time are in one block. Traffic is generated while it is read. Rows after
   * the current time are left out.
   *
   * @param from milliseconds, inclusive
   * @param to milliseconds, exclusive
   */
  range(zoneId: string, from: number, to: number, order: Order): Iterable<readonly StoredLogRow[]>
  /**
   * Returns all rows of a zone, oldest first. They include rows that are not visible yet, appended rows of the future, rows up to a day
   * past the retention, and origin-shield rows (`originShield`), which version 2 shows only with `includeOriginShield`. This function
   * is an oracle for tests and shares no iteration with `range`. A busy zone has millions of rows, so read them in time ranges.
   *
   * @param from milliseconds, inclusive; no bound by default
   * @param to milliseconds, exclusive; no bound by default
   */
  rows(zoneId: string, from?: number, to?: number): StoredLogRow[]
  /** Counts the rows that `rows` would return for a zone. Only the blocks at both ends of the traffic are generated. */
  count(zoneId: string): number
}

interface ZoneLog {
  /** Appended rows, by time, then in the order of appending. The array is replaced, never changed, because a `range` may read it. */
  rows: readonly StoredLogRow[]
  /** Rows that were appended since the last read. */
  added: StoredLogRow[]
  traffic: Traffic | undefined
}

/** Number of appended rows in a block of a zone without traffic. */
const blockRows = 1_000

/** How long rows are kept after the retention, in milliseconds, so that tests can verify that they are not shown. */
const afterRetentionMs = dayMs

/**
 * Creates an empty store.
 *
 * @param now returns the time of the clock in milliseconds; traffic ends at that time
 * @param retention milliseconds; rows are dropped a day after the retention
 */
export function createLogStore(now: () => number, retention: number): LogStore {
  const zones = new Map<string, ZoneLog>()
  const oldestKept = () => now() - retention - afterRetentionMs

  const logOf = (zoneId: string): ZoneLog => {
    const log = zones.get(zoneId) ?? { rows: [], added: [], traffic: undefined }
    zones.set(zoneId, log)
    return log
  }

  /** Returns the appended rows of a zone by time, without the rows that are too old. */
  function appended(log: ZoneLog): readonly StoredLogRow[] {
    if (log.added.length > 0) log.rows = log.rows.concat(log.added).sort(byTime)
    log.added = []
    const expired = firstAtOrAfter(log.rows, oldestKept())
    if (expired > 0) log.rows = log.rows.slice(expired)
    return log.rows
  }

  return {
    append(rows) {
      for (const row of rows) logOf(row.pullZoneId).added.push(row)
    },
    setTraffic(zoneId, traffic) {
      logOf(zoneId).traffic = traffic
    },
    clear(zoneId) {
      Object.assign(logOf(zoneId), { rows: [], added: [] })
    },
    *range(zoneId, from, to, order) {
      const log = logOf(zoneId)
      const { traffic } = log
      const start = Math.max(from, oldestKept())
      // Requests after the current time have not happened yet.
      const end = Math.min(to, now() + 1)
      const rows = appended(log)
      const first = traffic ? Math.floor(start / traffic.blockMs) : firstAtOrAfter(rows, start)
      const count = traffic
        ? Math.ceil(end / traffic.blockMs) - first
        : Math.ceil((firstAtOrAfter(rows, end) - first) / blockRows)
      /** Returns the time at which a block starts. Without traffic, it is the time of the block's first row. */
      const startOf = (block: number) =>
        traffic ? (first + block) * traffic.blockMs : (rows[first + block * blockRows]?.timestamp ?? end)
      for (let step = 0; step < count; step++) {
        const block = order === 'asc' ? step : count - 1 - step
        const [after, before] = [Math.max(start, startOf(block)), Math.min(end, startOf(block + 1))]
        const generated = between(traffic?.rowsOf(first + block) ?? [], after, before)
        const merged = generated.concat(between(rows, after, before)).sort(byTime)
        yield order === 'asc' ? merged : merged.reverse()
      }
    },
    rows(zoneId, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY) {
      const log = logOf(zoneId)
      const { traffic } = log
      const rows: StoredLogRow[] = []
      if (traffic) {
        const last = Math.floor(Math.min(to, now()) / traffic.blockMs)
        for (let block = Math.floor(Math.max(from, oldestKept()) / traffic.blockMs); block <= last; block++)
          for (const row of traffic.rowsOf(block))
            if (row.timestamp <= now() && row.timestamp >= oldestKept()) rows.push(row)
      }
      for (const row of appended(log)) rows.push(row)
      return rows.filter(({ timestamp }) => timestamp >= from && timestamp < to).sort(byTime)
    },
    count(zoneId) {
      const log = logOf(zoneId)
      return appended(log).length + (log.traffic?.count(oldestKept(), now() + 1) ?? 0)
    },
  }
}

const byTime = (a: StoredLogRow, b: StoredLogRow): number => a.timestamp - b.timestamp

/** Returns the index of the first row at or after a time, by binary search. */
function firstAtOrAfter(rows: readonly StoredLogRow[], time: number): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (assertDefined(rows[middle]).timestamp < time) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the rows of a sorted array between two times, `from` inclusive, `to` exclusive. */
function between(rows: readonly StoredLogRow[], from: number, to: number): StoredLogRow[] {
  return rows.slice(firstAtOrAfter(rows, from), firstAtOrAfter(rows, to))
}
