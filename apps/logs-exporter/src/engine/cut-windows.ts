import type { RowBatch } from '../rows/batch.ts'
import type { Source } from '../rows/encoder.ts'
import type { Window } from '../segments/segment.ts'
import type { Published, SegmentWriter } from '../sinks/sink.ts'
import { adopt } from './adopt.ts'
import type { ZoneContext } from './options.ts'
import { nextLook, postponement } from './plan.ts'
import { takeRows } from './take-rows.ts'

/** Cuts what one reading gives into many windows (§7 of the design). */
export interface Cutter {
  /** Every row before this time is written, or lies in a window that was passed over, in ms since 1970. */
  readonly position: number
  /** The window that is being written; undefined where all are. */
  readonly window: Window | undefined
  /** Takes rows that follow those before; those of no window are left out. Resolves when the sink can take more. */
  take(batch: RowBatch): Promise<void>
  /**
   * Publishes what was written of a window whose rest cannot be read any more.
   *
   * @returns records it, to be called when the rest is named as lost; undefined where nothing was written
   */
  publishPart(): Promise<(() => Promise<void>) | undefined>
  /** Leaves windows out that begin before a time, and in any case the one that is being written. */
  skipTo(time: number): Promise<void>
  /** Drops what was written of a window that is not complete. */
  discard(): Promise<void>
}

/**
 * Cuts a reading by the shown timestamp. A window is published when every row before its end has been handed out, and
 * recorded after that, never before: a crash in between leaves a segment that the next reading finds in the sink.
 *
 * @param windows in order, none of which the ledger knows
 */
export function createCutter(context: ZoneContext, windows: readonly Window[], source: Source): Cutter {
  const { zone, sink, ledger, epoch, signal, reader, plan, observe } = context
  // When it may have been asked for, not when it is in the sink: what came in between is for the next look.
  const begun = reader.now()
  let index = 0
  let position = windows[0]?.from ?? 0
  let writer: SegmentWriter | undefined
  let rows = 0

  async function write(window: Window, batch: RowBatch, first: number, last: number): Promise<void> {
    const lines = await takeRows(context, source, batch, first, last)
    rows += last - first
    if (lines.rows === 0) return
    writer ??= await sink.begin(window, 0, source, epoch, signal)
    await writer.write(lines)
  }

  /** Publishes what was written; gives what is left to do. */
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
      await adopt(context, window)
    } else {
      const { segment, refused = 0 } = published ?? {}
      if (refused > 0) observe({ type: 'refused', window, rows: refused })
      // What version 1 gave in trouble is not the last word: nothing tells an empty answer from a file without rows.
      const lookDue = nextLook(window, begun, plan) ?? (source === 'v1' ? begun + postponement : undefined)
      const nextRevision = segment ? 1 : 0
      await ledger.record({ ...window, rows: seen, nextRevision, source, lookedAt: begun, lookDue }, segment, epoch)
      observe({ type: 'window', window, segment, source })
    }
  }

  async function discard(): Promise<void> {
    await writer?.discard()
    writer = undefined
    rows = 0
  }

  return {
    get position() {
      return position
    },
    get window() {
      return windows[index]
    },
    async take(batch) {
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
    async publishPart() {
      const window = windows[index]
      return window && writer && publish(window)
    },
    async skipTo(time) {
      await discard()
      index++
      while ((windows[index]?.from ?? time) < time) index++
      position = Math.max(position, windows[index]?.from ?? time)
    },
    discard,
  }
}

/** The index of the first time that is not before a point, from `start` on. */
function firstAtOrAfter(times: Float64Array, at: number, start: number): number {
  let [low, high] = [start, times.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] ?? at) < at) low = middle + 1
    else high = middle
  }
  return low
}
