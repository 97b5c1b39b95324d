import { defined } from '@cdn/kit/defined'
import type { LineBatch } from '../reader/api-reader.ts'
import type { Lines } from '../rows/encoder.ts'
import type { BatchSource, Window } from '../segments/segment.ts'
import type { Published, SegmentWriter } from '../sinks/sink.ts'
import type { ZoneContext } from './options.ts'
import { nextRecheck, postponement } from './plan.ts'
import { adoptSegments } from './reconcile.ts'

export type Cutter = ReturnType<typeof createCutter>

/**
 * Splits the rows of a read by their shown timestamps. A window is published when the read has passed its end, and recorded
 * afterwards. If the process crashes in between, the next cycle finds the segment in the sink.
 *
 * @param windows at least one, in order; the ledger must not know any of them
 */
export function createCutter(context: ZoneContext, windows: readonly Window[], source: BatchSource) {
  const { zone, sink, ledger, signal, reader, plan, observe } = context
  // The time of the request, not of the publication: the next recheck must find the rows that arrive in between.
  const begun = reader.now()
  let index = 0
  let position = defined(windows[0]).from
  let writer: SegmentWriter | undefined
  let rows = 0

  async function write(window: Window, batch: LineBatch, first: number, last: number): Promise<void> {
    const lines = await takeRows(context, source, { batch, first, last })
    rows += last - first
    if (lines.rows === 0) return
    writer ??= await sink.begin({ ...window, revision: 0, source }, signal)
    await writer.write(lines)
  }

  /** Publishes the written rows of a window. @returns a function that records the window */
  async function publish(window: Window): Promise<() => Promise<void>> {
    const published = await writer?.publish()
    const seen = rows
    writer = undefined
    rows = 0
    signal.throwIfAborted()
    return () => record(window, seen, published)
  }

  async function record(window: Window, seen: number, published: Published | undefined): Promise<void> {
    if (published?.outcome === 'lost') {
      observe({ type: 'lost', window, revision: 0 })
      await adoptSegments(context, window)
    } else {
      const { segment } = published ?? {}
      // An empty file of version 1 looks like a day without rows, but may be a failure of the platform. So recheck the window.
      const recheckDue = nextRecheck(window, begun, plan) ?? (source === 'v1' ? begun + postponement : undefined)
      const nextRevision = segment ? 1 : 0
      await ledger.record({ ...window, rows: seen, nextRevision, source, checkedAt: begun, recheckDue })
      observe({ type: 'window', window, segment, source })
    }
  }

  /** Drops the written rows of an incomplete window. */
  async function discard(): Promise<void> {
    await writer?.discard()
    writer = undefined
    rows = 0
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
    async take(batch: LineBatch): Promise<void> {
      const { times, end } = batch
      observe({ type: 'progress', zone })
      let first = 0
      for (let window = windows[index]; window; window = windows[++index]) {
        first = firstAtOrAfter(times, window.from, first)
        const last = firstAtOrAfter(times, window.to, first)
        if (last > first) await write(window, batch, first, last)
        first = last
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

/** Index of the first time at or after `at`. The search begins at index `start`. */
function firstAtOrAfter(times: Float64Array, at: number, start: number): number {
  let [low, high] = [start, times.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (defined(times[middle]) < at) low = middle + 1
    else high = middle
  }
  return low
}

/** Encodes rows `first` to `last` (exclusive) of a batch. Rows that cannot be encoded are in the reject file, with the reason, when it resolves. */
export async function takeRows(
  { zone, encode, rejects, observe }: ZoneContext,
  source: BatchSource,
  { batch, first, last }: { readonly batch: LineBatch; readonly first: number; readonly last: number },
): Promise<Lines> {
  const lines = encode[source](batch, first, last)
  if (lines.replaced > 0) observe({ type: 'replaced', zone, values: lines.replaced })
  if (lines.rejects.length > 0) {
    await rejects.add(`zone=${zone}`, lines.rejects)
    const reasons = lines.rejects.map(({ reason }) => reason)
    observe({ type: 'rejects', zone, rows: reasons.length, reasons })
  }
  return lines
}
