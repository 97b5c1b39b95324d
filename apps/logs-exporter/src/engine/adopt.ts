import type { Segment, Window } from '../segments/segment.ts'
import { bySegment } from '../segments/segment-name.ts'
import type { ZoneContext } from './options.ts'

/** The segments that the sink has of a window, in order. */
export async function segmentsOf({ sink, signal }: ZoneContext, window: Window): Promise<Segment[]> {
  const found: Segment[] = []
  for await (const segment of sink.segments(window.zone, window.from, window.to, signal))
    if (segment.from === window.from && segment.to === window.to) found.push(segment)
  return found.sort(bySegment)
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
