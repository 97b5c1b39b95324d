import { firstAtOrAfter, type RowBatch } from '@cdn/api/logs'
import { assertDefined } from '@cdn/kit/assert-defined'
import type { OpenGap, WindowRecord } from '../ledger/ledger.ts'
import type { EncodedRows, Lines, PageRows } from '../rows/encoder.ts'
import { type ExportRange, type Window, windowOf } from '../segments/segment.ts'
import type { Published, SegmentWriter } from '../sinks/sink.ts'
import type { ZoneContext } from './options.ts'
import { nextRead } from './plan.ts'
import { withGap } from './read-around.ts'
import { recoverWindow } from './recover.ts'

export type Cutter = ReturnType<typeof createCutter>

/**
 * Splits the rows of a read by their shown timestamps. A window is published when the read has passed its end, and recorded
 * afterwards. If the process crashes in between, the next cycle finds the segment in the sink.
 *
 * @param windows at least one, in order; the ledger must not know any of them
 */
export function createCutter(context: ZoneContext, windows: readonly Window[]) {
  const { sink, signal, reader, observe } = context
  // The time of the request, not of the publication: the next recheck must find the rows that arrive in between.
  const begun = reader.now()
  let index = 0
  let position = assertDefined(windows[0]).from
  let writer: SegmentWriter | undefined
  let rows = 0
  /** The parts of the window in progress that cannot be read. */
  let gaps: readonly OpenGap[] = []

  function reset(): void {
    writer = undefined
    rows = 0
    gaps = []
  }
  async function write(window: Window, page: PageRows): Promise<void> {
    const lines = await takeRows(context, page)
    rows += page.rows.length + page.unreadable.length
    if (lines.rows === 0) return
    writer ??= await sink.begin({ ...window, revision: 0 }, signal)
    await writer.write(lines)
  }

  /** Publishes the written rows of a window. @returns a function that records the window */
  async function publish(window: Window): Promise<() => Promise<void>> {
    const published = await writer?.publish()
    const read = { seen: rows, openGaps: gaps }
    reset()
    signal.throwIfAborted()
    return () => record(window, read, published)
  }

  async function record(
    window: Window,
    { seen, openGaps }: { readonly seen: number; readonly openGaps: readonly OpenGap[] },
    published: Published | undefined,
  ): Promise<void> {
    if (published?.outcome === 'conflict') {
      observe({ type: 'conflict', window, revision: 0 })
      await recoverWindow(context, window)
    } else {
      const { segment } = published ?? {}
      const state = { ...window, nextRevision: segment ? 1 : 0, checkedAt: begun }
      await recordRead(context, { ...state, rows: seen }, openGaps)
      observe({ type: 'window', window, segment })
    }
  }

  async function discard(): Promise<void> {
    await writer?.discard()
    reset()
  }

  return {
    /** Every row before this time is written, or belongs to a skipped window. In ms since 1970. */
    get position() {
      return position
    },
    /** The window in progress; undefined after the last one. */
    get window() {
      return windows[index]
    },
    /** Takes the next rows and ignores rows outside the windows. Resolves when the sink accepts more. */
    async take(page: RowBatch<EncodedRows>): Promise<void> {
      const { rows, times, end, unread } = page
      const start = position
      reportBatch(context, page)
      let first = 0
      for (let window = windows[index]; window; window = windows[++index]) {
        first = firstAtOrAfter(times, window.from, first)
        const last = firstAtOrAfter(times, window.to, first)
        const isIn = ({ after }: PageRows['unreadable'][number]) =>
          Math.max(after, start) >= window.from && Math.max(after, start) < window.to
        const part = { rows: rows.slice(first, last), times: times.slice(first, last) }
        await write(window, { ...part, unreadable: page.unreadable.filter(isIn) })
        first = last
        const gap = { from: Math.max(start, window.from), to: Math.min(end, window.to) }
        if (unread !== undefined && gap.from < gap.to) gaps = withGap(gaps, { ...gap, reason: unread })
        if (end < window.to) break
        await (await publish(window))()
      }
      position = Math.max(position, end)
    },
    /**
     * Publishes the written part of a window whose rest can no longer be read.
     *
     * @returns a function that records the part. Call it after the rest is recorded as lost. Undefined if no rows were written
     */
    async publishPart() {
      const window = windows[index]
      return window && writer && publish(window)
    },
    /** Skips the window in progress, and all windows that begin before a time. */
    async skipTo(time: number): Promise<void> {
      await discard()
      index++
      while ((windows[index]?.from ?? time) < time) index++
      position = Math.max(position, windows[index]?.from ?? time)
    },
    discard,
  }
}

/**
 * Records a window after a read. If parts of it could not be read, another read is due: at the next recheck, or at the deadline. After
 * the last read, these parts are lost.
 *
 * @param state `checkedAt` is the time of the read
 */
export async function recordRead(
  context: ZoneContext,
  state: Omit<WindowRecord, 'recheckDue'>,
  openGaps: readonly OpenGap[],
): Promise<void> {
  const { ledger, plan, observe } = context
  const recheckDue = nextRead(state, state.checkedAt, plan, openGaps.length > 0)
  if (openGaps.length === 0) return ledger.record({ ...state, recheckDue, openGaps })
  if (recheckDue === undefined) return recordLoss(context, openGaps, { ...state, rows: undefined, recheckDue })
  await ledger.record({ ...state, rows: undefined, recheckDue, openGaps })
  observe({ type: 'unread', window: windowOf(state), gaps: openGaps })
}

const tooLate = 'the platform had deleted it before the exporter could read it'

/**
 * Records that ranges cannot be read any more.
 *
 * @param ranges with the reason, a clause or a sentence
 * @param window the read window of the ranges. It is recorded together with them: without its open gaps alone, it would look as if all
 *   of it were lost
 */
export async function recordLoss(
  { zone, ledger, reader, observe }: ZoneContext,
  ranges: readonly (ExportRange & Partial<OpenGap>)[],
  window?: WindowRecord,
): Promise<void> {
  const gaps = ranges.map(({ from, to, reason = tooLate }) => ({ zone, from, to, reason, noticedAt: reader.now() }))
  if (window) await ledger.record({ ...window, openGaps: [], lost: gaps })
  else for (const gap of gaps) await ledger.recordGap(gap)
  for (const gap of gaps) observe({ type: 'gap', gap })
}

/** Reports that a batch has arrived, and the byte sequences in it that are not UTF-8. */
export function reportBatch({ zone, observe }: ZoneContext, { replaced }: RowBatch<EncodedRows>): void {
  observe({ type: 'progress', zone })
  if (replaced > 0) observe({ type: 'replaced', zone, values: replaced })
}

/** Encodes rows as lines. Before it resolves, it adds rows that cannot be encoded to the file of dead letters, with the reason. */
export async function takeRows({ zone, encode, rejects, observe }: ZoneContext, page: PageRows): Promise<Lines> {
  const lines = encode.lines(page)
  if (lines.replaced > 0) observe({ type: 'replaced', zone, values: lines.replaced })
  if (lines.rejects.length > 0) {
    await rejects.add(`zone=${zone}`, lines.rejects)
    const reasons = lines.rejects.map(({ reason }) => reason)
    observe({ type: 'rejects', zone, rows: reasons.length, reasons })
  }
  return lines
}
