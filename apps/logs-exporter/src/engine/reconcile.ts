import { dayMs } from '@cdn/kit/time'
import { SinkError } from '../errors.ts'
import type { WindowState } from '../ledger/ledger.ts'
import { toleranceMs } from '../reader/server-clock.ts'
import { rangeText, type Segment, type Window } from '../segments/segment.ts'
import { segmentsOf } from '../sinks/sink.ts'
import type { ZoneContext } from './options.ts'
import { firstPosition } from './plan.ts'

/** How far back to search for the last segment of a zone after the loss of its ledger. */
const maxAbsenceDays = 366
/** Maximum time to reread all windows of the sink within the retention, in ms. */
const maxAdoptionMs = 3_600_000

/**
 * Updates the ledger from the sink, which is the truth. After a crash, adds segments that were published but not recorded. After
 * the loss of the ledger, adds all segments within the retention.
 */
export async function reconcile(context: ZoneContext): Promise<void> {
  const { zone, ledger } = context
  const position = await ledger.position(zone)
  const from = position ?? (await start(context))
  await reconcileRange(context, from, Number.POSITIVE_INFINITY)
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
  const oldestKept = Math.ceil((now - plan.retention) / plan.window) * plan.window
  const edge = now - plan.retention + Math.min(plan.margin, maxAdoptionMs)
  let last: number | undefined
  const retained = { zone, from: oldestKept, to: Number.POSITIVE_INFINITY }
  for await (const segment of sink.segments(retained, signal)) {
    if (segment.from >= edge) return Math.min(segment.from, first)
    last = segment.to
  }
  if (last !== undefined) return last
  if (!(await isIn(sink.zones(signal), zone))) return first
  for (let to = oldestKept; to > oldestKept - maxAbsenceDays * dayMs; to -= dayMs) {
    for await (const segment of sink.segments({ zone, from: to - dayMs, to }, signal)) last = segment.to
    if (last !== undefined) return last
  }
  return first
}

async function isIn(zones: AsyncIterable<string>, name: string): Promise<boolean> {
  for await (const zone of zones) if (zone === name) return true
  return false
}

/** Records the segments of `[from, to)` that are in the sink and not in the ledger. */
export async function reconcileRange(context: ZoneContext, from: number, to: number): Promise<void> {
  const { zone, ledger, sink, signal, observe } = context
  const known = new Map((await ledger.windows(zone, from, to)).map((window) => [keyOf(window), window.nextRevision]))
  const byWindow = new Map<string, Segment[]>()
  for await (const segment of sink.segments({ zone, from, to }, signal)) {
    observe({ type: 'progress', zone })
    const key = keyOf(segment)
    byWindow.set(key, [...(byWindow.get(key) ?? []), segment])
  }
  for (const [key, segments] of byWindow) {
    const [window] = segments
    const next = Math.max(...segments.map(({ revision }) => revision)) + 1
    if (window && (known.get(key) ?? 0) < next) await adoptSegments(context, window, segments)
  }
}

function keyOf({ from, to }: Pick<Segment, 'from' | 'to'>): string {
  return `${from}-${to}`
}

/**
 * Lists the segments of a window in the sink, and checks that none is missing. A comparison with an incomplete list would write
 * rows twice.
 *
 * @param window its `nextRevision` is the expected number of segments
 * @throws SinkError (damaged) if one of them is missing
 */
export async function wholeSegmentsOf(context: ZoneContext, window: WindowState): Promise<Segment[]> {
  const segments = await segmentsOf(context.sink, window, context.signal)
  const gone = segments.findIndex(({ revision }, n) => revision !== n)
  const missing = gone === -1 ? segments.length : gone
  if (gone === -1 && segments.length >= window.nextRevision) return segments
  throw new SinkError(
    'damaged',
    `The sink ${context.sink.name} lacks segment r${missing} of zone ${window.zone}, ${rangeText(window)}, so new rows cannot be identified. Restore the segment; or delete the other segments of that window and the ledger, and the exporter reads the window again.`,
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
  const { zone, ledger, sink, signal } = context
  const present = segments ?? (await segmentsOf(sink, window, signal))
  const { from, to } = window
  const source = present.some((segment) => segment.source === 'v1') ? 'v1' : 'v2'
  const nextRevision = (present.at(-1)?.revision ?? -1) + 1
  await ledger.record({ zone, from, to, rows: undefined, nextRevision, source, checkedAt: to, recheckDue: to })
}

/**
 * Removes ledger entries that lie in the future by the platform's time: windows, gaps, a position, and times of reads. They were
 * recorded while the clock was ahead. If anything was removed, an event names the zone. The next cycles record the windows again,
 * from the sink and the platform.
 */
export async function repair({ zone, ledger, reader, observe }: ZoneContext): Promise<void> {
  const position = await ledger.position(zone)
  const isChanged = await ledger.forgetBeyond(zone, reader.now() + toleranceMs)
  if (isChanged) observe({ type: 'repaired', zone, position })
}
