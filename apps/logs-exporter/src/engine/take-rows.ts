import type { RowBatch } from '../rows/batch.ts'
import type { Lines, Source } from '../rows/encoder.ts'
import type { ZoneContext } from './options.ts'

/** Encodes rows of a batch; those that cannot be encoded are on disk, with the reason, when it resolves. */
export async function takeRows(
  context: ZoneContext,
  source: Source,
  batch: RowBatch,
  first: number,
  last: number,
): Promise<Lines> {
  const { zone, encode, rejects, observe } = context
  const lines = encode[source](batch, first, last)
  if (lines.replaced > 0) observe({ type: 'replaced', zone, values: lines.replaced })
  if (lines.rejects.length > 0) {
    await rejects.add(zone, lines.rejects)
    const reasons = lines.rejects.map(({ reason }) => reason)
    observe({ type: 'rejects', zone, rows: reasons.length, reasons })
  }
  return lines
}
