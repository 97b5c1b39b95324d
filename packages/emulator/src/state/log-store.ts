import { defined } from '@cdn/kit/defined'
import { createPace } from '../pace.ts'
import type { Traffic } from '../traffic/traffic.ts'
import type { RowSelection, StoredLogRow } from './log-row.ts'

export type Order = 'asc' | 'desc'

/** Rows of one zone between two times. Traffic is generated while it is read, one block at a time. */
export interface StoredLogRange {
  /** Returns the rows by time. For rows of equal time, `desc` is the reverse of `asc`. */
  rows(order: Order): Iterable<StoredLogRow>
  /**
   * Skips rows at the beginning. Whole blocks of traffic are counted instead of generated.
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
   * retention. This function is an oracle for tests and shares no iteration with `range`. A busy zone has millions of rows, so
   * read them in time ranges.
   *
   * @param from milliseconds, inclusive; no bound by default
   * @param to milliseconds, exclusive; no bound by default
   */
  rows(zoneId: string, from?: number, to?: number): StoredLogRow[]
  /** Counts the rows that `rows` would return for a zone. Only the blocks at both ends of the traffic are generated. */
  count(zoneId: string): number
}

interface ZoneLog {
  /** Appended rows, by time, then in the order of their appending. A range that is being read keeps its array. */
  rows: readonly StoredLogRow[]
  /** Rows that were appended since the last read. */
  added: StoredLogRow[]
  traffic: Traffic | undefined
}

/** How long rows are kept after the retention, in milliseconds, so that tests can verify that they are not shown. */
const afterRetentionMs = 24 * 3_600_000

/** Number of blocks between two checks of whether the slice of work has used its time. */
const blocksPerCheck = 1024

/**
 * Creates an empty store.
 *
 * @param now returns the time of the clock in milliseconds; traffic ends at that time
 * @param retention milliseconds; older rows are dropped a day later
 */
export function createLogStore(now: () => number, retention: number): LogStore {
  const zones = new Map<string, ZoneLog>()
  const oldestKept = () => now() - retention - afterRetentionMs

  const find = (zoneId: string): ZoneLog => zones.get(zoneId) ?? { rows: [], added: [], traffic: undefined }
  const create = (zoneId: string): ZoneLog => {
    const log = find(zoneId)
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

  function rangeOf(log: ZoneLog, from: number, to: number): StoredLogRange {
    return {
      rows(order) {
        const stored = between(appended(log), from, to, order)
        return log.traffic ? merge(generated(log.traffic, from, to, order), stored, order) : stored
      },
      async skip(order, count, shown) {
        const rest = log.traffic
          ? await skipBlocks(log.traffic, appended(log), { from, to, left: count }, order, shown)
          : { from, to, left: count }
        return { range: rangeOf(log, rest.from, rest.to), left: rest.left }
      },
    }
  }

  return {
    append(rows) {
      for (const row of rows) create(row.pullZoneId).added.push(row)
    },
    setTraffic(zoneId, traffic) {
      create(zoneId).traffic = traffic
    },
    clear(zoneId) {
      Object.assign(find(zoneId), { rows: [], added: [] })
    },
    range(zoneId, from, to) {
      const log = find(zoneId)
      // Traffic after the current time has not happened yet.
      return rangeOf(log, Math.max(from, oldestKept()), log.traffic ? Math.min(to, now() + 1) : to)
    },
    rows(zoneId, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY) {
      const log = find(zoneId)
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
      const log = find(zoneId)
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
    if (defined(rows[middle]).timestamp < time) low = middle + 1
    else high = middle
  }
  return low
}

/** Yields the rows of a sorted array between two times, `from` inclusive, `to` exclusive. */
function* between(rows: readonly StoredLogRow[], from: number, to: number, order: Order): Generator<StoredLogRow> {
  const start = firstAtOrAfter(rows, from)
  const length = firstAtOrAfter(rows, to) - start
  for (let index = 0; index < length; index++)
    yield defined(rows[order === 'asc' ? start + index : start + length - 1 - index])
}

function* generated({ blockMs, rowsOf }: Traffic, from: number, to: number, order: Order): Generator<StoredLogRow> {
  const first = Math.floor(from / blockMs)
  const count = Math.ceil(to / blockMs) - first
  for (let step = 0; step < count; step++)
    yield* between(rowsOf(order === 'asc' ? first + step : first + count - 1 - step), from, to, order)
}

/** Merges two sorted iterables. In ascending order, rows of `one` come before rows of `other` with the same time. */
function* merge(one: Iterable<StoredLogRow>, other: Iterator<StoredLogRow>, order: Order): Generator<StoredLogRow> {
  let next = other.next()
  for (const row of one) {
    while (!next.done && comesFirst(next.value, row, order)) {
      yield next.value
      next = other.next()
    }
    yield row
  }
  for (; !next.done; next = other.next()) yield next.value
}

/** Whether a row of the second iterable comes before a row of the first. */
function comesFirst(second: StoredLogRow, first: StoredLogRow, order: Order): boolean {
  return order === 'asc' ? second.timestamp < first.timestamp : second.timestamp >= first.timestamp
}

/** A range in milliseconds, `[from, to)`, and in `left` the number of selected rows that remain to be skipped in it. */
interface RangeToSkip {
  readonly from: number
  readonly to: number
  readonly left: number
}

/** Skips whole blocks. The first block of the rest contains the first row that is not skipped. */
async function skipBlocks(
  traffic: Traffic,
  stored: readonly StoredLogRow[],
  range: RangeToSkip,
  order: Order,
  shown: RowSelection,
): Promise<RangeToSkip> {
  const { blockMs } = traffic
  const pace = createPace()
  const rest = { ...range }
  for (let checked = 1; rest.from < rest.to; checked++) {
    const block = order === 'asc' ? Math.floor(rest.from / blockMs) : Math.ceil(rest.to / blockMs) - 1
    const from = Math.max(block * blockMs, rest.from)
    const to = Math.min((block + 1) * blockMs, rest.to)
    const selected = (rows: readonly StoredLogRow[]) => [...between(rows, from, to, 'asc')].filter(shown.passes).length
    const quickCount = to - from === blockMs ? traffic.countSelected(block, shown) : undefined
    const count = (quickCount ?? selected(traffic.rowsOf(block))) + selected(stored)
    if (count > rest.left) return rest
    rest.left -= count
    if (order === 'asc') rest.from = to
    else rest.to = from
    if (checked % blocksPerCheck === 0 && pace.isDue()) await pace.rest()
  }
  return rest
}
