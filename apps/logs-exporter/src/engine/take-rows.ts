import type { BatchSource, LineBatch } from '../rows/batch.ts'
import type { Lines } from '../rows/encoder.ts'
import type { ZoneContext } from './options.ts'

/** Encodes rows `first` to `last` (exclusive) of a batch. Rows that cannot be encoded are in the reject file, with the reason, when it resolves. */
export async function takeRows(
  { zone, encode, rejects, observe }: ZoneContext,
  source: BatchSource,
  { batch, first, last }: { readonly batch: LineBatch; readonly first: number; readonly last: number },
): Promise<Lines> {
  const lines = encode[source](batch, first, last)
  if (lines.replaced > 0) observe({ type: 'replaced', zone, values: lines.replaced })
  if (lines.rejects.length > 0) {
    await rejects.add(zone, lines.rejects)
    const reasons = lines.rejects.map(({ reason }) => reason)
    observe({ type: 'rejects', zone, rows: reasons.length, reasons })
  }
  return lines
}
