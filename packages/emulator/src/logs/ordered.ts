import type { LogRow } from '../state/log-row.ts'
import type { LogRange } from '../state/log-store.ts'
import type { Random } from '../traffic/random.ts'

export interface Ordering {
  readonly order: 'asc' | 'desc'
  /** Puts rows with equal timestamps in any order; in the order they were stored where absent. */
  readonly random?: Random | undefined
}

/**
 * Walks a range by time and hands out the rows that pass. Only rows of one timestamp are held at a time.
 *
 * @param accepts whether a row belongs to the result
 */
export function* inOrder(
  range: LogRange,
  { order, random }: Ordering,
  accepts: (row: LogRow) => boolean,
): Generator<LogRow> {
  let held: LogRow | undefined
  let ties: LogRow[] = []
  for (const row of range.rows(order)) {
    if (!accepts(row)) continue
    if (held && held.timestamp === row.timestamp && random) ties.push(held)
    else if (held) {
      yield* together(ties, held, random)
      if (ties.length > 0) ties = []
    }
    held = row
  }
  if (held) yield* together(ties, held, random)
}

/** Rows of one timestamp: those held, and the last. */
function together(ties: readonly LogRow[], last: LogRow, random: Random | undefined): readonly LogRow[] {
  return ties.length > 0 && random ? random.shuffle([...ties, last]) : [last]
}
