import type { Segment } from '../segments/segment.ts'
import { adopt } from './adopt.ts'
import type { ZoneContext } from './options.ts'
import { firstPosition } from './plan.ts'

/** How far back the last segment of a zone is looked for whose ledger was lost, in days. */
const longestAbsence = 366
const day = 24 * 3_600_000

/**
 * Brings the ledger up to what the sink holds, which is the truth: what was published and not recorded before a crash, or
 * all that is within the retention where the ledger was lost.
 */
export async function reconcile(context: ZoneContext): Promise<void> {
  const { zone, epoch, ledger } = context
  const position = await ledger.position(zone)
  const from = position ?? (await start(context))
  await reconcileRange(context, from, Number.POSITIVE_INFINITY)
  if (position === undefined) await ledger.begin(zone, from, epoch)
}

/**
 * Where a zone begins that the ledger does not know. One that was exported before goes on where all that is still kept
 * begins, or after its last segment, so that what lies between is named as lost; a new one at the oldest that can be read.
 */
async function start({ zone, sink, reader, plan, signal }: ZoneContext): Promise<number> {
  const now = reader.now()
  const kept = Math.ceil((now - plan.retention) / plan.window) * plan.window
  if (sink.guarantee !== 'exactly-once') return firstPosition(now, plan)
  for await (const _ of sink.segments(zone, kept, Number.POSITIVE_INFINITY, signal)) return kept
  if (!(await isIn(sink.zones(signal), zone))) return firstPosition(now, plan)
  for (let to = kept; to > kept - longestAbsence * day; to -= day) {
    let last: number | undefined
    for await (const segment of sink.segments(zone, to - day, to, signal)) last = segment.to
    if (last !== undefined) return last
  }
  return firstPosition(now, plan)
}

async function isIn(zones: AsyncIterable<string>, wanted: string): Promise<boolean> {
  for await (const zone of zones) if (zone === wanted) return true
  return false
}

/** Records what the sink has of `[from, to)` and the ledger does not know. */
export async function reconcileRange(context: ZoneContext, from: number, to: number): Promise<void> {
  const { zone, ledger, sink, signal, observe } = context
  if (sink.guarantee !== 'exactly-once') return
  const known = new Map((await ledger.windows(zone, from, to)).map((window) => [keyOf(window), window.nextRevision]))
  const found = new Map<string, Segment[]>()
  for await (const segment of sink.segments(zone, from, to, signal)) {
    observe({ type: 'progress', zone })
    const key = keyOf(segment)
    found.set(key, [...(found.get(key) ?? []), segment])
  }
  for (const [key, segments] of found) {
    const [window] = segments
    const next = Math.max(...segments.map(({ revision }) => revision)) + 1
    if (window && (known.get(key) ?? 0) < next) await adopt(context, window, segments)
  }
}

function keyOf({ from, to }: Pick<Segment, 'from' | 'to'>): string {
  return `${from}-${to}`
}
