import type { WindowState } from '../ledger/ledger.ts'
import type { Segment, Window } from '../segments/segment.ts'
import { bySegment } from '../segments/segment-name.ts'
import { SinkError } from '../sinks/sink-error.ts'
import type { ZoneContext } from './options.ts'

/** The segments that the sink has of a window, in order. */
export async function segmentsOf({ sink, signal }: ZoneContext, window: Window): Promise<Segment[]> {
  const found: Segment[] = []
  for await (const segment of sink.segments(window.zone, window.from, window.to, signal))
    if (segment.from === window.from && segment.to === window.to) found.push(segment)
  return found.sort(bySegment)
}

/**
 * The segments that the sink has of a window, all that it should have: what is compared with fewer would be written twice.
 *
 * @param window `nextRevision` says how many it had
 * @throws SinkError (damaged) where one of them is gone
 */
export async function wholeSegmentsOf(context: ZoneContext, window: WindowState): Promise<Segment[]> {
  const found = await segmentsOf(context, window)
  const gone = found.findIndex(({ revision }, n) => revision !== n)
  const missing = gone === -1 ? found.length : gone
  if (gone === -1 && found.length >= window.nextRevision) return found
  const span = `${new Date(window.from).toISOString()} to ${new Date(window.to).toISOString()}`
  throw new SinkError(
    'damaged',
    `The sink ${context.sink.name} lacks segment r${missing} of zone ${window.zone}, ${span}, so nobody can tell which rows are new. Put it back, or delete the others of that window and the ledger: it is read again then.`,
  )
}

/**
 * Records what the sink has of a window that the ledger did not know, or knew less of. Nobody knows what its readings
 * showed, so its next look reads it.
 *
 * @param segments all that the sink has of it; read from there where absent
 */
export async function adopt(context: ZoneContext, window: Window, segments?: readonly Segment[]): Promise<void> {
  const { zone, ledger, epoch } = context
  const found = segments ?? (await segmentsOf(context, window))
  const { from, to } = window
  const source = found.some((segment) => segment.source === 'v1') ? 'v1' : 'v2'
  const nextRevision = (found.at(-1)?.revision ?? -1) + 1
  const state = { zone, from, to, rows: undefined, nextRevision, source, lookedAt: to, lookDue: to } as const
  for (const segment of found.slice(0, -1)) await ledger.record(state, segment, epoch)
  await ledger.record(state, found.at(-1), epoch)
}
