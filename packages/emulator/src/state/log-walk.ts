import { defined } from '@cdn/kit/defined'
import type { StoredLogRow } from './log-row.ts'
import { type Minute, rowsIn } from './minute.ts'

export type Order = 'asc' | 'desc'

/** A source of rows in blocks of time. A block contains exactly the rows of its time span, in ascending order. */
export interface Blocks {
  readonly blockMs: number
  rowsOf(block: number): readonly StoredLogRow[]
}

export const minuteMs = 60_000
/** Returns the number of the minute that contains a time, counted from 1970. */
export const minuteOf = (time: number): number => Math.floor(time / minuteMs)

export const byTime = (a: StoredLogRow, b: StoredLogRow): number => a.timestamp - b.timestamp

const none: readonly StoredLogRow[] = []

/** Iterates over appended rows, `from` inclusive, `to` exclusive. Rows of equal time keep the order of their appending. */
export function storedRows(
  minutes: ReadonlyMap<number, Minute>,
  from: number,
  to: number,
  order: Order,
): Iterable<StoredLogRow> {
  const rowsOf = (number: number) => {
    const minute = minutes.get(number)
    return minute ? rowsIn(minute).sort(byTime) : none
  }
  return walk({ blockMs: minuteMs, rowsOf }, from, to, order)
}

/** Iterates over the rows of blocks, `from` inclusive, `to` exclusive. */
export function* walk({ blockMs, rowsOf }: Blocks, from: number, to: number, order: Order): Generator<StoredLogRow> {
  const first = Math.floor(from / blockMs)
  const count = Math.ceil(to / blockMs) - first
  for (let step = 0; step < count; step++) {
    const rows = rowsOf(order === 'asc' ? first + step : first + count - 1 - step)
    const start = firstAtOrAfter(rows, from)
    const length = firstAtOrAfter(rows, to) - start
    for (let index = 0; index < length; index++)
      yield defined(rows[order === 'asc' ? start + index : start + length - 1 - index])
  }
}

/** Merges two sorted iterables. In ascending order, rows of `one` come before rows of `other` with the same time. */
export function* merge(
  one: Iterable<StoredLogRow>,
  other: Iterable<StoredLogRow>,
  order: Order,
): Generator<StoredLogRow> {
  const iterator = other[Symbol.iterator]()
  let next = iterator.next()
  for (const row of one) {
    while (!next.done && comesFirst(next.value, row, order)) {
      yield next.value
      next = iterator.next()
    }
    yield row
  }
  for (; !next.done; next = iterator.next()) yield next.value
}

/** Whether a row of the second iterable comes before a row of the first. */
function comesFirst(second: StoredLogRow, first: StoredLogRow, order: Order): boolean {
  return order === 'asc' ? second.timestamp < first.timestamp : second.timestamp >= first.timestamp
}

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
