import { SinkError } from '../errors.ts'
import type { WindowState } from '../ledger/ledger.ts'
import type { Segment, Window } from '../segments/segment.ts'
import { bySegment } from '../segments/segment-name.ts'
import type { ZoneContext } from './options.ts'

/** The segments of a window in the sink, in order. */
export async function segmentsOf({ sink, signal }: ZoneContext, window: Window): Promise<Segment[]> {
  const segments: Segment[] = []
  for await (const segment of sink.segments(window, signal))
    if (segment.from === window.from && segment.to === window.to) segments.push(segment)
  return segments.sort(bySegment)
}

/**
 * Lists the segments of a window in the sink, and checks that none is missing. A comparison with an incomplete list would write
 * rows twice.
 *
 * @param window its `nextRevision` is the expected number of segments
 * @throws SinkError (damaged) if one of them is missing
 */
export async function wholeSegmentsOf(context: ZoneContext, window: WindowState): Promise<Segment[]> {
  const segments = await segmentsOf(context, window)
  const gone = segments.findIndex(({ revision }, n) => revision !== n)
  const missing = gone === -1 ? segments.length : gone
  if (gone === -1 && segments.length >= window.nextRevision) return segments
  const span = `${new Date(window.from).toISOString()} to ${new Date(window.to).toISOString()}`
  throw new SinkError(
    'damaged',
    `The sink ${context.sink.name} lacks segment r${missing} of zone ${window.zone}, ${span}, so new rows cannot be identified. Restore the segment; or delete the other segments of that window and the ledger, and the exporter reads the window again.`,
  )
}

/**
 * Records segments in the sink that the ledger does not know. The row count of the read that wrote them is unknown, so the next
 * recheck reads the window.
 *
 * @param segments all segments of the window in the sink; read from the sink if omitted
 */
export async function adoptSegments(
  context: ZoneContext,
  window: Window,
  segments?: readonly Segment[],
): Promise<void> {
  const { zone, ledger } = context
  const present = segments ?? (await segmentsOf(context, window))
  const { from, to } = window
  const source = present.some((segment) => segment.source === 'v1') ? 'v1' : 'v2'
  const nextRevision = (present.at(-1)?.revision ?? -1) + 1
  await ledger.record({ zone, from, to, rows: undefined, nextRevision, source, checkedAt: to, recheckDue: to })
}
