/** Brings the ledger and the sink together after a stop. The sink is the truth (docs/decisions/sink-is-the-truth.md). */

import { toleranceMs } from '@cdn/kit/server-clock'
import { dayMs, hourMs } from '@cdn/kit/time'
import { SinkError } from '../errors.ts'
import type { Ledger, WindowState } from '../ledger/ledger.ts'
import { rangeText, type Segment, type SegmentId, type Window } from '../segments/segment.ts'
import { type Sink, segmentsOf } from '../sinks/sink.ts'
import type { ZoneContext } from './options.ts'
import { firstPosition, oldestKept } from './plan.ts'

/** How far back to search for the last segment of a zone after the loss of its ledger. */
const maxAbsenceDays = 366
/** Maximum time to read all windows of the sink within the retention again, in ms. */
const maxRereadMs = hourMs

/**
 * Updates the ledger from the sink. After a crash, adds segments that were published but not recorded. After the loss of the
 * ledger, adds all segments within the retention.
 */
export async function recoverZone(context: ZoneContext): Promise<void> {
  const { zone, ledger } = context
  await dropFuture(context)
  const position = await ledger.position(zone)
  const from = position ?? (await start(context))
  await recoverRange(context, from, Number.POSITIVE_INFINITY)
  if (position === undefined) await ledger.begin(zone, from)
}

/**
 * Start position of a zone that the ledger does not know. A new zone starts at the oldest window that can be read in time. Windows
 * are exported in order, so windows before a segment in the sink have been read. At the edge of the retention there may be a window
 * that can no longer be read in time; it is not reported as lost. After a long absence, the zone resumes after its last segment,
 * and the gap is reported.
 */
async function start({ zone, sink, reader, plan, signal }: ZoneContext): Promise<number> {
  const now = reader.now()
  const first = firstPosition(now, plan)
  const oldest = oldestKept(now, plan)
  const edge = now - plan.retention + Math.min(plan.margin, maxRereadMs)
  let last: number | undefined
  const retained = { zone, from: oldest, to: Number.POSITIVE_INFINITY }
  for await (const segment of sink.list(retained, signal)) {
    if (segment.from >= edge) return Math.min(segment.from, first)
    last = segment.to
  }
  if (last !== undefined) return last
  if (!(await isIn(sink.zones(signal), zone))) return first
  for (let to = oldest; to > oldest - maxAbsenceDays * dayMs; to -= dayMs) {
    for await (const segment of sink.list({ zone, from: to - dayMs, to }, signal)) last = segment.to
    if (last !== undefined) return last
  }
  return first
}

async function isIn(zones: AsyncIterable<string>, name: string): Promise<boolean> {
  for await (const zone of zones) if (zone === name) return true
  return false
}

/**
 * Records the segments of `[from, to)` that are in the sink and not in the ledger.
 *
 * @param oldest start of the oldest window that the platform keeps. An older window that is new to the ledger gets no recheck, which
 *   would report it as lost
 */
export async function recoverRange(
  context: ZoneContext,
  from: number,
  to: number,
  oldest = Number.NEGATIVE_INFINITY,
): Promise<void> {
  const { zone, ledger } = context
  const known = new Map((await ledger.windows(zone, from, to)).map((window) => [keyOf(window), window.nextRevision]))
  for (const [key, segments] of await listWindows(context, from, to)) {
    const [window] = segments
    if (!window || (known.get(key) ?? 0) >= nextAfter(segments)) continue
    await recoverWindow(context, window, segments, known.has(key) || window.from >= oldest)
  }
}

type ListingContext = Pick<ZoneContext, 'zone' | 'signal'> & {
  readonly sink: Pick<Sink, 'list'>
  readonly ledger: Pick<Ledger, 'windows'>
  readonly observe?: ZoneContext['observe']
}

async function listWindows({ zone, sink, signal, observe }: ListingContext, from: number, to: number) {
  const byWindow = new Map<string, SegmentId[]>()
  for await (const segment of sink.list({ zone, from, to }, signal)) {
    observe?.({ type: 'progress', zone })
    const key = keyOf(segment)
    byWindow.set(key, [...(byWindow.get(key) ?? []), segment])
  }
  return byWindow
}

/** The revision of the next segment of a window. */
export const nextAfter = (segments: readonly SegmentId[]) =>
  Math.max(-1, ...segments.map(({ revision }) => revision)) + 1

/** The first revision that is not among the segments of a window, which are in order. */
export function firstMissing(segments: readonly SegmentId[]): number {
  const gap = segments.findIndex(({ revision }, n) => revision !== n)
  return gap === -1 ? segments.length : gap
}

/** The windows of `[from, to)` of which the sink lacks a segment that the ledger recorded. */
export async function missingWindows(context: ListingContext, from: number, to: number): Promise<WindowState[]> {
  const { zone, ledger } = context
  const listed = await listWindows(context, from, to)
  const isWhole = (window: WindowState) => firstMissing(listed.get(keyOf(window)) ?? []) >= window.nextRevision
  return (await ledger.windows(zone, from, to)).filter((window) => !isWhole(window))
}

function keyOf({ from, to }: Pick<Window, 'from' | 'to'>): string {
  return `${from}-${to}`
}

/**
 * Lists the segments of a window in the sink, and checks that none is missing. A comparison with an incomplete list would write
 * rows twice.
 *
 * @param window its `nextRevision` is the expected number of segments
 * @throws SinkError (damaged) if one of them is missing
 */
export async function requireAllSegments(context: ZoneContext, window: WindowState): Promise<Segment[]> {
  const segments = await segmentsOf(context.sink, window, context.signal)
  const missing = firstMissing(segments)
  if (missing === segments.length && missing >= window.nextRevision) return segments
  throw new SinkError(
    'damaged',
    `The sink ${context.sink.name} lacks segment r${missing} of zone ${window.zone}, ${rangeText(window)}, so new rows cannot be identified. Restore the segment, or run backfill with this range, which reads the window again.`,
  )
}

/**
 * Records segments in the sink that the ledger does not know. The row count of the read that wrote them is unknown, so the next
 * recheck reads the window.
 *
 * @param segments all segments of the window in the sink; read from the sink if omitted
 * @param isRechecked whether a recheck is due
 */
export async function recoverWindow(
  context: ZoneContext,
  window: Window,
  segments?: readonly SegmentId[],
  isRechecked = true,
): Promise<void> {
  const { zone, ledger, sink, signal } = context
  const nextRevision = nextAfter(segments ?? (await segmentsOf(sink, window, signal)))
  const { from, to } = window
  const recheckDue = isRechecked ? to : undefined
  await ledger.record({ zone, from, to, rows: undefined, nextRevision, checkedAt: to, recheckDue })
}

/**
 * Removes ledger entries that lie more than a minute in the future by the platform's time: windows, gaps and a position. Windows
 * with a read in the future become due for a recheck. Such entries were recorded while the clock was ahead. If anything changed, an
 * event names the zone. The next cycles record the windows again, from the sink and the platform.
 */
export async function dropFuture({ zone, ledger, reader, observe }: ZoneContext): Promise<void> {
  const position = await ledger.position(zone)
  const isChanged = await ledger.forgetBeyond(zone, reader.now() + toleranceMs)
  if (isChanged) observe({ type: 'recovered', zone, position })
}
