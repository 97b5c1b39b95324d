import type { RowBatch } from '@cdn/api/logs'
import { messageOf } from '@cdn/kit/error-message'
import type { OpenGap } from '../ledger/ledger.ts'
import type { EncodedRows } from '../rows/encoder.ts'
import type { Window } from '../segments/segment.ts'
import { isBeyondRetention, isUnreadable } from './failure.ts'
import type { ZoneContext } from './options.ts'
import { nextBoundary } from './plan.ts'

/** Maximum number of gaps in a window. The rest of it is one further gap, because each of them costs dozens of requests. */
const maxGaps = 12

/**
 * Reads a range, and leaves out what cannot be read: rows that spoil each response, and ranges whose requests always fail. The batch of
 * such a part has the reason in `unread`. If the platform does not answer an ordinary request of the zone either, the read fails.
 *
 * @returns batches in order, without a hole
 * @throws ApiError, TransportError, or the signal's reason; if the position lies beyond the retention, the error of its request
 */
export async function* readAround(
  { reader, encode, plan, signal }: Pick<ZoneContext, 'reader' | 'encode' | 'plan' | 'signal'>,
  { zone, from, to }: Window,
): AsyncGenerator<RowBatch<EncodedRows>, void, void> {
  let position = from
  /** Whether the last millisecond before the position could not be read either. */
  let hasFailed = false
  let gaps = { end: from, count: 0 }

  function leaveOut(end: number, unread: string): RowBatch<EncodedRows> {
    position = Math.min(end, to)
    return { rows: encode.page().end(), times: [], unreadable: [], replaced: 0, end: position, unread }
  }
  /** Leaves out the rest of the window that ends at the position or after it. */
  function leaveOutRest(reason: string): RowBatch<EncodedRows> {
    hasFailed = false
    return leaveOut(nextBoundary(position - 1, plan.window), `${reason} Other parts of this window, too.`)
  }
  /** Counts a gap at a time. @returns whether its window has too many of them */
  function isFlooded(at: number): boolean {
    if (at >= gaps.end) gaps = { end: nextBoundary(at, plan.window), count: 0 }
    return ++gaps.count > maxGaps
  }

  async function canRead(at: number): Promise<boolean> {
    try {
      for await (const _ of reader.readRange({ zone, from: at, to: at + 1 }, encode.page, signal));
      return true
    } catch (error) {
      signal.throwIfAborted()
      if (!isUnreadable(error)) throw error
      return false
    }
  }
  /** The end of a range whose start cannot be read: steps that double, then halves of the last one. */
  async function endOfFailure(start: number): Promise<number> {
    let [low, high] = [start, start + 1]
    while (high < to && !(await canRead(high))) [low, high] = [high, high + 2 * (high - start)]
    high = Math.min(high, to)
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (await canRead(middle)) high = middle
      else low = middle
    }
    return high
  }

  while (position < to) {
    const begun = position
    try {
      for await (const batch of reader.readRange({ zone, from: position, to }, encode.page, signal)) {
        const isLast = batch.unread !== undefined && isFlooded(position)
        position = batch.end
        hasFailed = false
        yield batch
        if (isLast && position < to) {
          yield leaveOutRest(String(batch.unread))
          break
        }
      }
      if (position === begun) throw new Error(`The reader ended at ${position}, before its range did`)
    } catch (error) {
      signal.throwIfAborted()
      if (!isUnreadable(error) || isBeyondRetention(error, position, reader.now(), plan)) throw error
      if (position > begun) continue // another attempt may reach further
      await reader.ask(zone, signal)
      const isLast = !hasFailed && isFlooded(position)
      const end = hasFailed ? await endOfFailure(position) : position + 1
      hasFailed = true
      yield leaveOut(end, messageOf(error))
      if (isLast && position < to) yield leaveOutRest(messageOf(error))
    }
  }
}

/** Adds a range to gaps, which are in order. Touching ranges become one, with the reason of the first. */
export function withGap(gaps: readonly OpenGap[], { from, to, reason }: OpenGap): OpenGap[] {
  const last = gaps.at(-1)
  return last && last.to >= from ? [...gaps.slice(0, -1), { ...last, to }] : [...gaps, { from, to, reason }]
}
