import { assertDefined } from '@cdn/kit/assert-defined'
import type { Ledger } from '../ledger/ledger.ts'
import type { Window } from '../segments/segment.ts'
import { type Cutter, createCutter, recordLoss } from './cut-windows.ts'
import { isBeyondRetention } from './failure.ts'
import type { ZoneContext, ZoneMemory } from './options.ts'
import { closedUntil, openWindows } from './plan.ts'
import { readAround } from './read-around.ts'

/** Time after which a cycle begins no further read of windows, in ms, so that other zones get a cycle, too. */
export const cycleMs = 5 * 60_000
/** Minimum length of a range read, in ms. In a shorter range, a single request would decide the measured pace. */
const minRangeMs = 15 * 60_000
/** Minimum distance of a start from the edge of the retention, in ms. The rows must still exist when the request arrives. */
export const retentionSlack = 60_000

/**
 * Reads the open windows of a range, oldest first, until the time of a cycle has passed. Each range read ends at a window boundary.
 *
 * @param from start of a window, in ms since 1970
 * @param to end of a closed window, in ms since 1970
 * @returns whether all windows are read
 */
export async function exportOpen(context: ZoneContext, from: number, to: number): Promise<boolean> {
  const { zone, ledger, reader, plan, memory, observe } = context
  const begun = reader.now()
  for (let at = from; ; ) {
    const open = await openWindowsOf(ledger, { zone, from: at, to }, plan.window)
    const [first] = open
    const closed = closedUntil(reader.now(), plan)
    at = first?.from ?? Math.max(at, to)
    observe({ type: 'position', zone, position: at, closed, lag: reader.now() - at })
    if (!first) return true
    if (reader.now() - begun >= cycleMs) return false
    const { covered: length, spent } = memory.pace
    const reach = Math.max(minRangeMs, spent > 0 ? (length / spent) * cycleMs : 0)
    // If the oldest rows are lost, one read covers all of the loss, including the window that is only partly lost.
    const lost = reader.now() - plan.retention + retentionSlack + plan.window - at
    memory.pace = await readRange(context, follow(open, at + Math.max(reach, lost, plan.window)))
  }
}

/** The windows of a range that the ledger records neither as read nor as lost (`openWindows`). */
export async function openWindowsOf(ledger: Ledger, range: Window, length: number): Promise<Window[]> {
  const covered = [...(await ledger.windows(range.zone, range.from, range.to)), ...(await ledger.gaps(range.zone))]
  covered.sort((a, b) => a.from - b.from)
  return openWindows(range, covered, length)
}

/** The first windows up to a time, without a hole between them. Contains at least one window, even if it ends after that time. */
function follow(open: readonly Window[], until: number): Window[] {
  const end = open.findIndex((window, index) => index > 0 && (window.from !== open[index - 1]?.to || window.to > until))
  return open.slice(0, end === -1 ? open.length : end)
}

/**
 * Reads a range and publishes its windows. Skips the start if it lies beyond the retention.
 *
 * @returns the covered time span and the time spent waiting for the reader, both in ms. Waiting for the sink does not count
 */
async function readRange(context: ZoneContext, windows: readonly Window[]): Promise<ZoneMemory['pace']> {
  const { zone, reader, signal, plan, memory } = context
  const end = assertDefined(windows.at(-1)).to
  const cutter = createCutter(context, windows)
  let [covered, spent] = [0, 0]
  try {
    while (cutter.window) {
      try {
        let requestedAt = reader.now()
        for await (const batch of readAround(context, { zone, from: cutter.position, to: end })) {
          spent += reader.now() - requestedAt
          covered += batch.end - cutter.position
          await cutter.take(batch)
          requestedAt = reader.now()
        }
        memory.refusedStarts = 0
      } catch (error) {
        signal.throwIfAborted()
        if (!isBeyondRetention(error, cutter.position, reader.now(), plan)) throw error
        const edge = Math.max(reader.now() - plan.retention, cutter.position)
        // A repeated refusal means that the platform keeps less than it promises, or its clock differs. So skip more each time.
        await giveUp(context, cutter, windows, edge + retentionSlack * 2 ** memory.refusedStarts++)
      }
    }
    return { covered, spent }
  } finally {
    await cutter.discard()
  }
}

/**
 * Records open windows before a time as lost. If a part of a window was already read, that part is published, and recorded after
 * the gap.
 */
async function giveUp(context: ZoneContext, cutter: Cutter, windows: readonly Window[], before: number): Promise<void> {
  const recordPart = await cutter.publishPart()
  const from = recordPart ? cutter.position : (cutter.window?.from ?? before)
  await cutter.skipTo(before)
  const to = cutter.window?.from ?? assertDefined(windows.at(-1)).to
  await recordLoss(context, [{ from, to }])
  await recordPart?.()
}
