import type { StoredLogRow } from '../state/log-row.ts'
import type { Random } from '../traffic/random.ts'

/** Maximum number of rows between two points at which other requests can be served. */
const maxRows = 1_000

/**
 * Yields the accepted rows of a range in batches. A batch can be empty, so that a reader can serve other requests after each.
 *
 * @param range the rows by time, as the store returns them
 * @param random shuffles rows with equal timestamps. By default these rows keep their order
 * @param accepts returns whether a row belongs to the result
 */
export function* readBatches(
  range: Iterable<readonly StoredLogRow[]>,
  random: Random | undefined,
  accepts: (row: StoredLogRow) => boolean,
): Generator<readonly StoredLogRow[]> {
  for (const block of range) {
    const rows = block.filter(accepts)
    const ordered = random ? shuffleTies(rows, random) : rows
    for (let start = 0; start === 0 || start < rows.length; start += maxRows)
      yield ordered.slice(start, start + maxRows)
  }
}

function shuffleTies(rows: readonly StoredLogRow[], random: Random): readonly StoredLogRow[] {
  const byTime = [...Map.groupBy(rows, ({ timestamp }) => timestamp).values()]
  return byTime.flatMap((ties) => (ties.length > 1 ? random.shuffle(ties) : ties))
}
