import { dayMs } from '@cdn/kit/time'
import type { Segment } from '../segments/segment.ts'
import { adoptSegments } from './adopt.ts'
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
  if (sink.guarantee !== 'exactly-once') return first
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
  if (sink.guarantee !== 'exactly-once') return
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
