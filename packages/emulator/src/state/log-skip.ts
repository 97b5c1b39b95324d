import { createPace } from '../pace.ts'
import type { Traffic } from '../traffic/traffic.ts'
import type { RowSelection, StoredLogRow } from './log-row.ts'
import { minuteMs, type Order } from './log-walk.ts'
import { countSelected, type Minute, rowsIn } from './minute.ts'

/** A range, and in `left` the number of selected rows that remain to be skipped in it. */
export interface RangeToSkip {
  /** Milliseconds, inclusive. */
  readonly from: number
  /** Milliseconds, exclusive. */
  readonly to: number
  readonly left: number
}

/** The part of a range within one block, in milliseconds: `start` inclusive, `end` exclusive. */
interface Part {
  readonly start: number
  readonly end: number
}

/** Number of blocks between two checks of whether the slice of work has used its time. */
const blocksPerCheck = 1024

/**
 * Skips rows by counting whole blocks.
 *
 * @returns the rest of the range; its first block contains the first row that is not skipped
 */
export async function skipBlocks(
  sources: { readonly minutes: ReadonlyMap<number, Minute>; readonly traffic: Traffic | undefined },
  range: RangeToSkip,
  order: Order,
  shown: RowSelection,
): Promise<RangeToSkip> {
  const pace = createPace()
  const blockMs = sources.traffic?.blockMs ?? minuteMs
  const rest = { ...range }
  while (rest.left > 0 && rest.from < rest.to) {
    for (let checked = 0; checked < blocksPerCheck && rest.from < rest.to; checked++) {
      const block = order === 'asc' ? Math.floor(rest.from / blockMs) : Math.ceil(rest.to / blockMs) - 1
      const part = { start: Math.max(block * blockMs, rest.from), end: Math.min((block + 1) * blockMs, rest.to) }
      const blockCount =
        storedBetween(sources.minutes, part, shown) +
        (sources.traffic ? generatedBetween(sources.traffic, block, part, shown) : 0)
      if (blockCount > rest.left) return rest
      rest.left -= blockCount
      if (order === 'asc') rest.from = part.end
      else rest.to = part.start
    }
    if (pace.isDue()) await pace.rest()
  }
  return rest
}

function generatedBetween(traffic: Traffic, block: number, part: Part, shown: RowSelection): number {
  const isWhole = part.end - part.start === traffic.blockMs
  const quickCount = isWhole ? traffic.countSelected(block, shown) : undefined
  return quickCount ?? countPassing(traffic.rowsOf(block), part, shown)
}

function storedBetween(minutes: ReadonlyMap<number, Minute>, part: Part, shown: RowSelection): number {
  const { start, end } = part
  let count = 0
  for (let number = Math.floor(start / minuteMs); number * minuteMs < end; number++) {
    const minute = minutes.get(number)
    if (!minute) continue
    const isWhole = number * minuteMs >= start && (number + 1) * minuteMs <= end
    count += (isWhole ? countSelected(minute, shown) : undefined) ?? countPassing(rowsIn(minute), part, shown)
  }
  return count
}

function countPassing(rows: readonly StoredLogRow[], { start, end }: Part, { passes }: RowSelection): number {
  return rows.filter((row) => row.timestamp >= start && row.timestamp < end && passes(row)).length
}
