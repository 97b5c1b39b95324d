import type { WindowState } from '../ledger/ledger.ts'
import type { Lines } from '../rows/encoder.ts'
import { difference } from '../segments/difference.ts'
import { groupLines } from '../segments/groups.ts'
import type { Segment } from '../segments/segment.ts'
import type { SegmentWriter } from '../sinks/sink.ts'
import { wholeSegmentsOf } from './adopt.ts'
import type { ZoneContext } from './options.ts'
import { nextLook, postponement } from './plan.ts'
import { takeRows } from './take-rows.ts'

/** New rows are rare: they are written in pieces of this size at least, in bytes, not one by one. */
const pieceBytes = 65_536
/** How often another writer may be first before this is left to another look. */
const mostRaces = 3

/**
 * Reads a window again and writes what no earlier revision has as its next one. A sink whose segments cannot be read back
 * gets every row of the window once more (at least once, §7 of the design).
 *
 * Rows that the sink has and the reading lacks stay: an answer in trouble or a lagging replica must not shrink anything.
 */
export async function revise(context: ZoneContext, state: WindowState): Promise<void> {
  const { sink, ledger, epoch, reader, plan, observe } = context
  const { zone, from, to } = state
  for (let race = 1; ; race++) {
    const lookedAt = reader.now()
    const held = sink.guarantee === 'exactly-once' ? await wholeSegmentsOf(context, state) : []
    const revision = Math.max(state.nextRevision, (held.at(-1)?.revision ?? -1) + 1)
    const { seen, missing, published } = await writeNewRows(context, state, revision, held)
    if (missing > 0) observe({ type: 'anomaly', window: { zone, from, to }, missing })
    if (published?.outcome === 'lost') {
      observe({ type: 'lost', window: { zone, from, to }, revision })
      if (race < mostRaces) continue
    }
    const { segment, refused = 0 } = published?.outcome === 'published' ? published : {}
    if (refused > 0) observe({ type: 'refused', window: { zone, from, to }, rows: refused })
    const isDone = missing === 0 && published?.outcome !== 'lost'
    await ledger.record(
      {
        ...state,
        rows: isDone ? seen : undefined,
        nextRevision: segment ? revision + 1 : revision,
        lookedAt,
        // What others were always faster to change is looked at again soon, also where this was the last look.
        lookDue: published?.outcome === 'lost' ? lookedAt + postponement : nextLook(state, lookedAt, plan),
      },
      segment,
      epoch,
    )
    if (segment) observe({ type: 'revision', segment })
    return
  }
}

/** Reads the window, compares it with what is held, and publishes what is new. */
async function writeNewRows(context: ZoneContext, window: WindowState, revision: number, held: readonly Segment[]) {
  const { zone, sink, epoch, signal, reader, observe } = context
  const { from, to } = window
  let seen = 0
  let missing = 0
  let writer: SegmentWriter | undefined
  let pending: string[] = []
  let pendingBytes = 0

  async function* read(): AsyncGenerator<Uint8Array, void, void> {
    for await (const batch of reader.walk(zone, from, to, signal)) {
      observe({ type: 'progress', zone })
      const { bytes } = await takeRows(context, 'v2', batch, 0, batch.times.length)
      seen += batch.times.length
      yield bytes
    }
  }
  async function flush(): Promise<void> {
    writer ??= await sink.begin({ zone, from, to }, revision, 'v2', epoch, signal)
    await writer.write(toLines(pending))
    pending = []
    pendingBytes = 0
  }

  try {
    const sides = held.map((segment) => ({ source: segment.source, groups: groupLines(sink.read(segment, signal)) }))
    for await (const added of difference(groupLines(read()), sides)) {
      missing += added.missing
      pending.push(...added.lines)
      pendingBytes += added.lines.reduce((sum, { length }) => sum + length, 0)
      if (pendingBytes >= pieceBytes) await flush()
    }
    if (pending.length > 0) await flush()
    return { seen, missing, published: await writer?.publish() }
  } catch (error) {
    await writer?.discard()
    throw error
  }
}

function toLines(lines: readonly string[]): Lines {
  return { bytes: Buffer.from(`${lines.join('\n')}\n`), rows: lines.length, replaced: 0, rejects: [] }
}
