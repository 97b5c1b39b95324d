import type { LogRow } from './log-row.ts'
import { arrived, type Minute } from './minute.ts'

export type Order = 'asc' | 'desc'

/** What rows are made of, block by block; a block's rows are ascending and lie within it. */
export interface Blocks {
  readonly blockMs: number
  rowsOf(block: number): readonly LogRow[]
}

const minuteMs = 60_000
/** The minute since 1970 in which a time lies. */
export const minuteOf = (time: number): number => Math.floor(time / minuteMs)

export const byTime = (a: LogRow, b: LogRow): number => a.timestamp - b.timestamp

const none: readonly LogRow[] = []

/** Rows that were put in, `from` inclusive, `to` exclusive; of equal times in the order in which they came. */
export function addedRows(
  minutes: ReadonlyMap<number, Minute>,
  from: number,
  to: number,
  order: Order,
): Iterable<LogRow> {
  const rowsOf = (number: number) => {
    const minute = minutes.get(number)
    return minute ? arrived(minute).sort(byTime) : none
  }
  return walk({ blockMs: minuteMs, rowsOf }, from, to, order)
}

/** The rows of blocks, `from` inclusive, `to` exclusive. */
export function* walk({ blockMs, rowsOf }: Blocks, from: number, to: number, order: Order): Generator<LogRow> {
  const first = Math.floor(from / blockMs)
  const count = Math.ceil(to / blockMs) - first
  for (let step = 0; step < count; step++) {
    const rows = rowsOf(order === 'asc' ? first + step : first + count - 1 - step)
    const start = firstAtOrAfter(rows, from)
    const length = firstAtOrAfter(rows, to) - start
    for (let index = 0; index < length; index++)
      yield rows[order === 'asc' ? start + index : start + length - 1 - index] as LogRow
  }
}

/** Two walks as one; of equal times, the first walk's come first in ascending order. */
export function* merge(one: Iterable<LogRow>, other: Iterable<LogRow>, order: Order): Generator<LogRow> {
  const others = other[Symbol.iterator]()
  let next = others.next()
  for (const row of one) {
    while (!next.done && comesFirst(next.value, row, order)) {
      yield next.value
      next = others.next()
    }
    yield row
  }
  for (; !next.done; next = others.next()) yield next.value
}

/** Whether a row of the second walk comes before one of the first. */
function comesFirst(second: LogRow, first: LogRow, order: Order): boolean {
  return order === 'asc' ? second.timestamp < first.timestamp : second.timestamp >= first.timestamp
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
