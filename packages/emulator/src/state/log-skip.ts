import { createPace } from '../pace.ts'
import type { Traffic } from '../traffic/traffic.ts'
import type { RowSelection, StoredLogRow } from './log-row.ts'
import { minuteMs, type Order } from './log-walk.ts'
import { countSelected, type Minute, rowsIn } from './minute.ts'

/** The rest of a range after skipping, and the number of rows that remain to be skipped in it. */
export interface SkipResult {
  readonly from: number
  readonly to: number
  readonly left: number
}

/** Number of blocks between two checks of the time. */
const blocksPerCheck = 1024

/**
 * Skips rows by counting whole blocks. The first remaining row is in the first block of the rest.
 *
 * @param from milliseconds, inclusive
 * @param to milliseconds, exclusive
 * @param count number of selected rows to skip
 */
export async function skipBlocks(
  sources: { readonly minutes: ReadonlyMap<number, Minute>; readonly traffic: Traffic | undefined },
  { from, to }: { readonly from: number; readonly to: number },
  order: Order,
  count: number,
  shown: RowSelection,
): Promise<SkipResult> {
  const pace = createPace()
  const blockMs = sources.traffic?.blockMs ?? minuteMs
  const rest = { from, to, left: count }
  while (rest.left > 0 && rest.from < rest.to) {
    for (let checked = 0; checked < blocksPerCheck && rest.from < rest.to; checked++) {
      const block = order === 'asc' ? Math.floor(rest.from / blockMs) : Math.ceil(rest.to / blockMs) - 1
      const start = Math.max(block * blockMs, rest.from)
      const end = Math.min((block + 1) * blockMs, rest.to)
      const blockCount =
        storedBetween(sources.minutes, start, end, shown) +
        (sources.traffic ? generatedBetween(sources.traffic, block, start, end, shown) : 0)
      if (blockCount > rest.left) return rest
      rest.left -= blockCount
      if (order === 'asc') rest.from = end
      else rest.to = start
    }
    if (pace.isDue()) await pace.rest()
  }
  return rest
}

function generatedBetween(traffic: Traffic, block: number, start: number, end: number, shown: RowSelection): number {
  const isWhole = end - start === traffic.blockMs
  const quickCount = isWhole ? traffic.countSelected(block, shown) : undefined
  return quickCount ?? countPassing(traffic.rowsOf(block), start, end, shown)
}

function storedBetween(minutes: ReadonlyMap<number, Minute>, start: number, end: number, shown: RowSelection): number {
  let count = 0
  for (let number = Math.floor(start / minuteMs); number * minuteMs < end; number++) {
    const minute = minutes.get(number)
    if (!minute) continue
    const isWhole = number * minuteMs >= start && (number + 1) * minuteMs <= end
    count += (isWhole ? countSelected(minute, shown) : undefined) ?? countPassing(rowsIn(minute), start, end, shown)
  }
  return count
}

function countPassing(rows: readonly StoredLogRow[], start: number, end: number, { passes }: RowSelection): number {
  return rows.filter((row) => row.timestamp >= start && row.timestamp < end && passes(row)).length
}
