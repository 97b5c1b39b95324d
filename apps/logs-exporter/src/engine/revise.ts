import type { WindowState } from '../ledger/ledger.ts'
import type { Lines } from '../rows/encoder.ts'
import { difference } from '../segments/difference.ts'
import { groupLines } from '../segments/groups.ts'
import type { Segment } from '../segments/segment.ts'
import type { SegmentWriter } from '../sinks/sink.ts'
import { wholeSegmentsOf } from './adopt.ts'
import type { ZoneContext } from './options.ts'
import { nextRecheck, postponement } from './plan.ts'
import { takeRows } from './take-rows.ts'

/** Minimum size of a write, in bytes. Late rows are collected, because one write per row would be slow. */
const pieceBytes = 65_536
/** After this many races lost to another writer, the exporter leaves the window to a later recheck. */
const maxRaces = 3

/**
 * Reads a window again. Rows that no earlier revision has become its next revision. If the sink cannot be read back, the sink
 * receives every row of the window again (at-least-once).
 *
 * If the read lacks rows that are in the sink, they stay there. A failing platform or a lagging replica must not remove any row.
 */
export async function revise(context: ZoneContext, state: WindowState): Promise<void> {
  const { sink, ledger, reader, plan, observe } = context
  const { zone, from, to } = state
  for (let race = 1; ; race++) {
    const checkedAt = reader.now()
    const held = sink.guarantee === 'exactly-once' ? await wholeSegmentsOf(context, state) : []
    const revision = Math.max(state.nextRevision, (held.at(-1)?.revision ?? -1) + 1)
    const { seen, missing, published } = await writeNewRows(context, state, revision, held)
    if (missing > 0) observe({ type: 'shrunk-read', window: { zone, from, to }, missing })
    if (published?.outcome === 'lost') {
      observe({ type: 'lost', window: { zone, from, to }, revision })
      if (race < maxRaces) continue
    }
    const { segment, refused = 0 } = published?.outcome === 'published' ? published : {}
    if (refused > 0) observe({ type: 'refused', window: { zone, from, to }, rows: refused })
    const isDone = missing === 0 && published?.outcome !== 'lost'
    await ledger.record({
      ...state,
      rows: isDone ? seen : undefined,
      nextRevision: segment ? revision + 1 : revision,
      checkedAt,
      // If all races were lost, recheck soon, even if this was the last regular recheck.
      recheckDue: published?.outcome === 'lost' ? checkedAt + postponement : nextRecheck(state, checkedAt, plan),
    })
    if (segment) observe({ type: 'revision', segment })
    return
  }
}

/** Reads the window, compares it with the segments in the sink, and publishes the new rows. */
async function writeNewRows(context: ZoneContext, window: WindowState, revision: number, held: readonly Segment[]) {
  const { zone, sink, signal, reader, observe } = context
  const { from, to } = window
  let seen = 0
  let missing = 0
  let writer: SegmentWriter | undefined
  let pending: string[] = []
  let pendingBytes = 0

  async function* read(): AsyncGenerator<Uint8Array, void, void> {
    for await (const batch of reader.readRange(zone, from, to, signal)) {
      observe({ type: 'progress', zone })
      const { bytes } = await takeRows(context, 'v2', { batch, first: 0, last: batch.times.length })
      seen += batch.times.length
      yield bytes
    }
  }
  async function flush(): Promise<void> {
    writer ??= await sink.begin({ zone, from, to }, revision, 'v2', signal)
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
