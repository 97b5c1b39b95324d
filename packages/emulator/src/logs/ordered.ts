import type { StoredLogRow } from '../state/log-row.ts'
import type { StoredLogRange } from '../state/log-store.ts'
import type { Random } from '../traffic/random.ts'

export interface Ordering {
  readonly order: 'asc' | 'desc'
  /** Shuffles rows with equal timestamps; they keep the order of the store by default. */
  readonly random?: Random | undefined
}

/** Maximum number of consecutive rejected rows before the reader can serve other requests. */
const maxRejected = 256

/**
 * Yields the accepted rows of a range by time. Only the rows of one timestamp are in memory at a time.
 *
 * @param accepts returns whether a row belongs to the result
 * @returns the rows, and undefined after every `maxRejected` rejected rows, so that the reader can serve other requests
 */
export function* inOrder(
  range: StoredLogRange,
  { order, random }: Ordering,
  accepts: (row: StoredLogRow) => boolean,
): Generator<StoredLogRow | undefined> {
  let held: StoredLogRow | undefined
  let ties: StoredLogRow[] = []
  let rejected = 0
  for (const row of range.rows(order)) {
    if (!accepts(row)) {
      if (++rejected % maxRejected === 0) yield undefined
      continue
    }
    if (held && held.timestamp === row.timestamp && random) ties.push(held)
    else if (held) {
      yield* together(ties, held, random)
      if (ties.length > 0) ties = []
    }
    held = row
  }
  if (held) yield* together(ties, held, random)
}

/** Returns the rows of one timestamp, shuffled if requested. */
function together(
  ties: readonly StoredLogRow[],
  last: StoredLogRow,
  random: Random | undefined,
): readonly StoredLogRow[] {
  return ties.length > 0 && random ? random.shuffle([...ties, last]) : [last]
}
