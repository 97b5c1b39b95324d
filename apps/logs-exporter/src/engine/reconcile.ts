import type { Segment } from '../segments/segment.ts'
import { adopt } from './adopt.ts'
import type { ZoneContext } from './options.ts'
import { firstPosition } from './plan.ts'

/**
 * Brings the ledger up to what the sink holds, which is the truth: what was published and not recorded before a crash, or
 * all that is within the retention where the ledger was lost. A zone that is new begins at the oldest that can be read.
 */
export async function reconcile(context: ZoneContext): Promise<void> {
  const { zone, epoch, ledger, reader, plan } = context
  const position = await ledger.position(zone)
  const from = position ?? firstPosition(reader.now(), plan)
  await reconcileRange(context, from, Number.POSITIVE_INFINITY)
  if (position === undefined) await ledger.begin(zone, from, epoch)
}

/** Records what the sink has of `[from, to)` and the ledger does not know. */
export async function reconcileRange(context: ZoneContext, from: number, to: number): Promise<void> {
  const { zone, ledger, sink, signal } = context
  if (sink.guarantee !== 'exactly-once') return
  const known = new Map((await ledger.windows(zone, from, to)).map((window) => [keyOf(window), window.nextRevision]))
  const found = new Map<string, Segment[]>()
  for await (const segment of sink.segments(zone, from, to, signal)) {
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
