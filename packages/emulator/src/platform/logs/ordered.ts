import type { StoredLogRow } from '../state/log-row.ts'
import type { Random } from '../traffic/random.ts'

/** After this many rejected rows, the reader can serve other requests. */
const maxRejected = 256

/**
 * Yields the accepted rows of a range. It keeps at most the rows of one timestamp in memory.
 *
 * @param range the rows, ordered by time
 * @param random shuffles rows with equal timestamps. By default these rows keep their order
 * @param accepts returns whether a row belongs to the result
 * @returns the rows; after every `maxRejected` rejected rows an undefined, so that the reader can serve other requests
 */
export function* inOrder(
  range: Iterable<StoredLogRow>,
  random: Random | undefined,
  accepts: (row: StoredLogRow) => boolean,
): Generator<StoredLogRow | undefined> {
  let held: StoredLogRow | undefined
  let ties: StoredLogRow[] = []
  let rejected = 0
  for (const row of range) {
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
