import type { WindowState } from '../ledger/ledger.ts'
import type { Lines } from '../rows/encoder.ts'
import { difference, groupLines } from '../segments/difference.ts'
import type { Segment } from '../segments/segment.ts'
import type { SegmentWriter } from '../sinks/sink.ts'
import { takeRows } from './cut-windows.ts'
import { recordLoss } from './export-open.ts'
import { isBeyondRetention, isDamage, isReadFailure } from './failure.ts'
import type { ZoneContext } from './options.ts'
import { nextRecheck, postponement } from './plan.ts'
import { wholeSegmentsOf } from './reconcile.ts'

/** Maximum number of rechecks per cycle before open windows are read: as many requests as two rate limit periods allow (§8). */
const maxRechecks = 60

/**
 * Rechecks the closed windows that are due, oldest first. Each recheck is a count probe. If the count differs or the probe fails,
 * the window is read. A failed recheck is postponed, so that one bad window or damaged segment does not block the others.
 *
 * @param isLate whether the deadline of the zone has passed. Then requests are reserved for unread rows and rechecks wait. Windows
 *   beyond the retention are reported as missed without a request
 */
export async function recheckWindows(context: ZoneContext, isLate: boolean): Promise<void> {
  const { zone, signal, ledger, reader, plan, memory, observe } = context
  for (const state of await ledger.due(zone, reader.now(), maxRechecks)) {
    if (isLate && state.from >= reader.now() - plan.retention) return
    try {
      await (isLate ? miss(context, state) : recheck(context, state))
    } catch (error) {
      signal.throwIfAborted()
      if (!isReadFailure(error) && !isDamage(error)) throw error
      const isGone = state.from < reader.now() - plan.retention // a damaged sink fails before any request, so check the age, too
      if (isGone || isBeyondRetention(error, state.from, reader.now(), plan)) await miss(context, state)
      else {
        const retryAt = reader.now() + postponement
        await ledger.record({ ...state, recheckDue: retryAt })
        observe({ type: 'failed', zone, error, failures: memory.failures, retryAt })
        if (!isDamage(error)) return
      }
    }
  }
}

/**
 * Records that a window can no longer be rechecked. If its row count is unknown, the window also counts as lost. It was then
 * adopted after a crash, and the edge of the retention may have cut off some of its rows.
 */
async function miss(context: ZoneContext, state: WindowState): Promise<void> {
  const { zone, ledger, observe } = context
  const { from, to, rows } = state
  if (rows === undefined) await recordLoss(context, from, to)
  await ledger.record({ ...state, recheckDue: undefined })
  observe({ type: 'recheck-missed', window: { zone, from, to } })
}

async function recheck(context: ZoneContext, state: WindowState): Promise<void> {
  const { zone, ledger, reader, plan, observe } = context
  const { from, to } = state
  const checkedAt = reader.now()
  const outcome = await probe(context, state)
  observe({ type: 'recheck', window: { zone, from, to }, outcome })
  if (outcome !== 'same') return revise(context, state)
  await ledger.record({ ...state, checkedAt, recheckDue: nextRecheck(state, checkedAt, plan) })
}

async function probe({ reader, signal, plan }: ZoneContext, window: WindowState) {
  if (window.rows === undefined) return 'unknown'
  try {
    return (await reader.hasRows(window, window.rows, signal)) ? 'same' : 'changed'
  } catch (error) {
    signal.throwIfAborted()
    if (!isReadFailure(error) || isBeyondRetention(error, window.from, reader.now(), plan)) throw error
    return 'unsure' // a deep offset may time out where a read by time does not (supplement)
  }
}

/** Minimum size of a write, in bytes. Late rows are collected, because one write per row would be slow. */
const pieceBytes = 65_536
/** After this many races lost to another writer, the exporter leaves the window to a later recheck. */
const maxRaces = 3

/**
 * Reads a window again. Rows that no earlier revision has become its next revision.
 *
 * If the read lacks rows that are in the sink, they stay there. A failing platform or a lagging replica must not remove any row.
 */
export async function revise(context: ZoneContext, state: WindowState): Promise<void> {
  const { ledger, reader, plan, observe } = context
  const { zone, from, to } = state
  for (let race = 1; ; race++) {
    const checkedAt = reader.now()
    const held = await wholeSegmentsOf(context, state)
    const revision = Math.max(state.nextRevision, (held.at(-1)?.revision ?? -1) + 1)
    const { seen, missing, published } = await writeNewRows(context, state, revision, held)
    if (missing > 0) observe({ type: 'shrunk-read', window: { zone, from, to }, missing })
    if (published?.outcome === 'lost') {
      observe({ type: 'lost', window: { zone, from, to }, revision })
      if (race < maxRaces) continue
    }
    const segment = published?.outcome === 'published' ? published.segment : undefined
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
    writer ??= await sink.begin({ zone, from, to, revision, source: 'v2' }, signal)
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
