import type { OpenGap, WindowState } from '../ledger/ledger.ts'
import { toLines } from '../rows/encoder.ts'
import { difference, groupLines } from '../segments/difference.ts'
import { overlaps, type Segment, type SegmentId, windowOf } from '../segments/segment.ts'
import { type SegmentWriter, segmentsOf } from '../sinks/sink.ts'
import { recordLoss, recordRead, reportBatch, takeRows } from './cut-windows.ts'
import { isBeyondRetention, isDamage, isReadFailure } from './failure.ts'
import type { ZoneContext } from './options.ts'
import { nextRecheck, postponement } from './plan.ts'
import { readAround, withGap } from './read-around.ts'
import { firstMissing, nextAfter, requireAllSegments } from './recover.ts'

/** Maximum number of rechecks per cycle before open windows are read: as many requests as two rate limit periods allow (§8). */
const maxRechecks = 60

/**
 * Rechecks the closed windows that are due, oldest first. Each recheck is a count probe. If the count differs or is unknown, or
 * the probe fails, the window is read. A failed recheck is postponed, so that one window does not block the others. After a failed
 * read, the remaining rechecks wait for the next cycle; after damage in the sink, they continue.
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
        observe({ type: 'failed', zone, error, failures: memory.failures, retryAt, recheck: windowOf(state) })
        if (!isDamage(error)) return
      }
    }
  }
}

/**
 * Records that a window can no longer be rechecked. Its open gaps are lost. Without any, if its row count is unknown, the whole window
 * counts as lost, because the sink may lack some of its rows. The count is unknown after a recovery from the sink or a conflict.
 */
async function miss(context: ZoneContext, state: WindowState): Promise<void> {
  const open = await openGapsOf(context, state)
  const window = windowOf(state)
  const lost = state.rows === undefined && open.length === 0 ? [window] : open
  await recordLoss(context, lost, { ...state, recheckDue: undefined })
  context.observe({ type: 'recheck-missed', window })
}

async function openGapsOf({ zone, ledger }: ZoneContext, window: WindowState): Promise<OpenGap[]> {
  return (await ledger.openGaps(zone)).filter((gap) => overlaps(gap, window))
}

async function recheck(context: ZoneContext, state: WindowState): Promise<void> {
  const { ledger, reader, plan, observe } = context
  const checkedAt = reader.now()
  const outcome = await probe(context, state)
  if (outcome !== 'same') await revise(context, state)
  else await ledger.record({ ...state, checkedAt, recheckDue: nextRecheck(state, checkedAt, plan) })
  observe({ type: 'recheck', window: windowOf(state), outcome })
}

async function probe({ reader, signal, plan }: ZoneContext, window: WindowState) {
  if (window.rows === undefined) return 'unknown'
  try {
    return (await reader.hasRows(window, window.rows, signal)) ? 'same' : 'changed'
  } catch (error) {
    signal.throwIfAborted()
    if (!isReadFailure(error) || isBeyondRetention(error, window.from, reader.now(), plan)) throw error
    return 'unsure' // the platform may refuse the offset; a read by time has none
  }
}

/** Length of the collected late rows, in UTF-16 code units, at which they are written. One write per row would be slow. */
const flushLength = 65_536
/** After this many conflicts with another writer, the exporter leaves the window to a later recheck. */
const maxConflicts = 3

/**
 * Reads a window again. Publishes the rows that no earlier revision has as the first missing revision.
 *
 * If the read lacks rows that are in the sink, they stay there. A failing platform or a lagging replica must not remove any row.
 *
 * @param restores whether a segment that the sink lacks is written again. By default, its absence is an error: it may come back
 * @throws SinkError (damaged) if a segment is missing and `restores` is false
 */
export async function revise(context: ZoneContext, state: WindowState, restores = false): Promise<void> {
  const { reader, observe, sink, signal } = context
  const window = windowOf(state)
  for (let conflicts = 1; ; conflicts++) {
    const checkedAt = reader.now()
    const held = await (restores ? segmentsOf(sink, state, signal) : requireAllSegments(context, state))
    const revision = firstMissing(held)
    const reread = await writeNewRows(context, { ...window, revision }, held)
    if (reread.missing > 0 && reread.gaps.length === 0)
      observe({ type: 'shrunk-read', window, missing: reread.missing })
    const isConflict = reread.published?.outcome === 'conflict'
    if (isConflict) observe({ type: 'conflict', window, revision })
    if (!isConflict || conflicts === maxConflicts) return recordRevision(context, { ...state, checkedAt }, held, reread)
  }
}

type Reread = Awaited<ReturnType<typeof writeNewRows>>

/** @param state with the time of the read */
async function recordRevision(
  context: ZoneContext,
  state: WindowState,
  held: readonly Segment[],
  { seen, missing, published, gaps }: Reread,
): Promise<void> {
  const { ledger, observe } = context
  const { checkedAt } = state
  const isConflict = published?.outcome === 'conflict'
  const segment = isConflict ? undefined : published?.segment
  const nextRevision = segment ? nextAfter([...held, segment]) : Math.max(state.nextRevision, nextAfter(held))
  const before = await openGapsOf(context, state)
  if (isConflict) {
    // Recheck soon, even if this was the last regular recheck.
    const recheckDue = checkedAt + postponement
    await ledger.record({ ...state, rows: undefined, nextRevision, recheckDue, openGaps: gaps })
  } else {
    const restored = segment && segment.revision < state.nextRevision ? segment.revision : undefined
    await recordRead(context, { ...state, rows: seen + missing, nextRevision, restored }, gaps)
  }
  if (segment) observe({ type: 'revision', segment })
  if (before.length > 0 && gaps.length === 0) observe({ type: 'unread', window: windowOf(state), gaps })
}

async function writeNewRows(context: ZoneContext, segment: SegmentId, held: readonly Segment[]) {
  const { sink, signal } = context
  let position = segment.from
  let gaps: readonly OpenGap[] = []
  let seen = 0
  let missing = 0
  let writer: SegmentWriter | undefined
  let pending: string[] = []
  let pendingLength = 0

  async function* read(): AsyncGenerator<Uint8Array, void, void> {
    for await (const batch of readAround(context, segment)) {
      reportBatch(context, batch)
      const { end, unread } = batch
      if (unread !== undefined) gaps = withGap(gaps, { from: position, to: end, reason: unread })
      position = end
      seen += batch.times.length + batch.unreadable.length
      yield (await takeRows(context, batch)).bytes
    }
  }
  async function flush(): Promise<void> {
    writer ??= await sink.begin(segment, signal)
    await writer.write(toLines(pending))
    pending = []
    pendingLength = 0
  }

  try {
    const sides = held.map((each) => groupLines(sink.read(each, signal)))
    for await (const added of difference(groupLines(read()), sides)) {
      missing += added.missing
      pending.push(...added.lines)
      pendingLength += added.lines.reduce((sum, { length }) => sum + length, 0)
      if (pendingLength >= flushLength) await flush()
    }
    if (pending.length > 0) await flush()
    return { seen, missing, published: await writer?.publish(), gaps }
  } catch (error) {
    await writer?.discard()
    throw error
  }
}
