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
  const at = (step: number) => range.at(order === 'asc' ? step : range.length - 1 - step)
  let ties: LogRow[] = []
  for (let step = 0; step < range.length; step++) {
    const row = at(step)
    if (ties[0] && ties[0].timestamp !== row.timestamp) {
      yield* ties.length > 1 && random ? random.shuffle(ties) : ties
      ties = []
    }
    if (accepts(row)) ties.push(row)
  }
  yield* ties.length > 1 && random ? random.shuffle(ties) : ties
}
