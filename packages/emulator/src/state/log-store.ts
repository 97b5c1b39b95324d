import type { LogRow } from './log-row.ts'

/** Rows of one zone between two times, in ascending order; stays as it is while more rows arrive. */
export interface LogRange {
  readonly length: number
  /** @param index from 0 (oldest) to `length - 1` */
  at(index: number): LogRow
}

/** All log rows of all zones, by time. Both logging versions are views of it. */
export interface LogStore {
  /** Adds rows, in any order and of any zone; a row becomes readable at its `visibleFrom`. */
  append(rows: Iterable<LogRow>): void
  /**
   * Rows with `from <= timestamp < to`, those not yet visible included.
   *
   * @param from milliseconds, inclusive
   * @param to milliseconds, exclusive
   */
  range(zoneId: string, from: number, to: number): LogRange
  /** Everything kept for a zone, oldest first: past the retention and not yet visible too. An oracle for tests. */
  rows(zoneId: string): readonly LogRow[]
  /** Zones that have rows. */
  zoneIds(): string[]
}

const byTime = (a: LogRow, b: LogRow) => a.timestamp - b.timestamp

/** An empty store. Rows at or after a zone's newest are appended in place; earlier ones cost a new, sorted list. */
export function createLogStore(): LogStore {
  const zones = new Map<string, LogRow[]>()
  return {
    append(rows) {
      for (const [zoneId, added] of Map.groupBy(rows, (row) => row.pullZoneId)) {
        const kept = zones.get(zoneId) ?? []
        added.sort(byTime)
        const newest = kept.at(-1)
        // A range holds the list it was made from, so a list is only ever lengthened or replaced.
        if (newest && added[0] && added[0].timestamp < newest.timestamp)
          zones.set(zoneId, [...kept, ...added].sort(byTime))
        else {
          for (const row of added) kept.push(row)
          zones.set(zoneId, kept)
        }
      }
    },
    range(zoneId, from, to) {
      const rows = zones.get(zoneId) ?? []
      const start = firstAtOrAfter(rows, from)
      const length = Math.max(0, firstAtOrAfter(rows, to) - start)
      return {
        length,
        at(index) {
          const row = rows[start + index]
          if (!row || index < 0 || index >= length) throw new RangeError(`Row ${index} lies outside the range`)
          return row
        },
      }
    },
    rows: (zoneId) => [...(zones.get(zoneId) ?? [])],
    zoneIds: () => [...zones.keys()],
  }
}

function firstAtOrAfter(rows: readonly LogRow[], time: number): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((rows[middle]?.timestamp ?? Number.POSITIVE_INFINITY) < time) low = middle + 1
    else high = middle
  }
  return low
}
