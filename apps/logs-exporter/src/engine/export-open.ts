import { defined } from '@cdn/kit/defined'
import { dayMs, hourMs } from '@cdn/kit/time'
import type { Window } from '../segments/segment.ts'
import { type Cutter, createCutter } from './cut-windows.ts'
import { isBeyondRetention, isReadFailure } from './failure.ts'
import type { ZoneContext, ZoneMemory } from './options.ts'
import { closedUntil, deadlineOf, openWindows } from './plan.ts'

/** Minimum length of a range read, in ms. In a shorter one, the measured pace would be that of a single request. */
const minRangeMs = 15 * 60_000
/** Minimum distance of a start from the edge of the retention, in ms. The rows must still exist when the request arrives. */
export const retentionSlack = 60_000

/**
 * Reads the open windows of a range, oldest first. Each range read ends at a window boundary.
 *
 * @param from start of a window, in ms since 1970
 * @param to end of a closed window, in ms since 1970
 * @param cycleMs length of a cycle; no read begins after it
 * @returns whether all windows are read
 */
export async function exportOpen(context: ZoneContext, from: number, to: number, cycleMs: number): Promise<boolean> {
  const { zone, ledger, reader, plan, memory, observe } = context
  const begun = reader.now()
  for (let at = from; ; ) {
    const covered = [...(await ledger.windows(zone, at, to)), ...(await ledger.gaps(zone))]
    covered.sort((a, b) => a.from - b.from)
    const open = openWindows({ zone, from: at, to }, covered, plan.window)
    const [first] = open
    const closed = closedUntil(reader.now(), plan)
    at = first?.from ?? Math.max(at, to)
    observe({ type: 'position', zone, position: at, closed, lag: reader.now() - at })
    if (!first) return true
    if (reader.now() - begun >= cycleMs) return false
    const reason = bulkReason(context, at)
    if (reason) {
      observe({ type: 'bulk', zone, day: at, reason })
      // If reading the day file fails, too, the next attempt uses version 2.
      memory.readFailures = 0
      memory.pace = { covered: 0, spent: 0 }
      await readDay(context, follow(open, dayEnd(at))).catch((error: unknown) => {
        if (reason === 'failing' || !isReadFailure(error)) throw error
      })
    } else {
      const { covered, spent } = memory.pace
      const reach = Math.max(minRangeMs, spent > 0 ? (covered / spent) * cycleMs : 0)
      // One read finds the whole loss, including the window that is partly lost.
      const lost = reader.now() - plan.retention + retentionSlack + plan.window - at
      memory.pace = await readRange(context, follow(open, at + Math.max(reach, lost, plan.window)))
      memory.readFailures = 0
    }
  }
}

/** The first windows up to a time, without a hole between them. Contains at least one window, even if it ends after that time. */
function follow(open: readonly Window[], until: number): Window[] {
  const end = open.findIndex((window, index) => index > 0 && (window.from !== open[index - 1]?.to || window.to > until))
  return open.slice(0, end === -1 ? open.length : end)
}

/**
 * Reads a range of version 2. After a failure it resumes from the position, as long as it makes progress.
 *
 * @returns the covered time span and the time spent waiting for the reader, both in ms. Waiting for the sink does not count, since
 *   a slow sink must not cause a switch to version 1
 */
async function readRange(context: ZoneContext, windows: readonly Window[]): Promise<ZoneMemory['pace']> {
  const { zone, reader, signal, plan, memory } = context
  const end = defined(windows.at(-1)).to
  const cutter = createCutter(context, windows, 'v2')
  let [covered, spent] = [0, 0]
  try {
    while (cutter.window) {
      const { position } = cutter
      try {
        let requestedAt = reader.now()
        for await (const batch of reader.readRange(zone, position, end, signal)) {
          spent += reader.now() - requestedAt
          covered += batch.end - cutter.position
          await cutter.take(batch)
          requestedAt = reader.now()
        }
        if (cutter.window) throw new Error(`The reader ended at ${cutter.position}, before its range did`)
        memory.refusedStarts = 0
      } catch (error) {
        signal.throwIfAborted()
        if (isBeyondRetention(error, cutter.position, reader.now(), plan)) {
          const oldestKept = Math.max(reader.now() - plan.retention, cutter.position)
          // A repeated refusal means that the platform keeps less than it promises, or its clock differs. So skip more each time.
          await giveUp(context, cutter, windows, oldestKept + retentionSlack * 2 ** memory.refusedStarts++)
        } else if (!isReadFailure(error) || cutter.position === position) throw error
      }
    }
    return { covered, spent }
  } finally {
    await cutter.discard()
  }
}

/** Reads windows of one day from the day's version 1 file. Near the edge of the retention the file may be incomplete. */
async function readDay(context: ZoneContext, windows: readonly Window[]): Promise<void> {
  const { zone, reader, signal, plan, memory } = context
  const cutter = createCutter(context, windows, 'v1')
  try {
    const oldestKept = reader.now() - plan.retention + retentionSlack
    if (cutter.position < oldestKept) await giveUp(context, cutter, windows, oldestKept)
    if (!cutter.window) return
    memory.bulkAt = reader.now()
    const end = dayEnd(cutter.window.from)
    for await (const batch of reader.dayFile(zone, cutter.window.from, signal)) await cutter.take(batch)
    if (cutter.window) throw new Error(`The day file ended at ${cutter.position}, before its day did`)
    // The file of a finished day is not read again, so the next day's file may be read immediately.
    if (end + plan.lateness <= reader.now()) memory.bulkAt = Number.NEGATIVE_INFINITY
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
  const to = cutter.window?.from ?? defined(windows.at(-1)).to
  await recordLoss(context, from, to)
  await recordPart?.()
}

/** Records that the platform did not keep a range until it could be read. */
export async function recordLoss(context: ZoneContext, from: number, to: number): Promise<void> {
  const { zone, ledger, reader, observe } = context
  const reason = 'no longer kept by the platform when it could be read'
  const gap = { zone, from, to, reason, noticedAt: reader.now() }
  await ledger.recordGap(gap)
  observe({ type: 'gap', gap })
}

/** Consecutive cycles without a usable response after which version 2 counts as failing. */
const maxFailures = 3
/** Minimum duration of a pace measurement, in ms. */
const minPaceMs = 60_000
/** Time reserved for reading a day file, in ms. If version 2 is too slow for a zone, its day file has billions of lines. */
const bulkTime = 6 * hourMs

/**
 * Whether to read the day file of version 1 for the window at `position`. The exporter does so if version 2 fails, or is too slow
 * for the deadline. Until the end of its day the file grows, and every read starts from its beginning. So the exporter reads it
 * at most once an hour. The same limit applies after a failed read.
 */
function bulkReason({ reader, plan, memory }: ZoneContext, position: number): 'failing' | 'deadline' | undefined {
  const now = reader.now()
  // If the platform keeps less than it promises, the beginning of a day file may be missing, and nothing shows that.
  if (now - memory.bulkAt < hourMs || memory.refusedStarts > 0) return undefined
  if (memory.readFailures >= maxFailures) return 'failing'
  const { covered, spent } = memory.pace
  if (spent < minPaceMs) return undefined
  // The deadline moves with the clock. It catches up with a reader that reads less than an hour of logs per hour.
  const pace = covered / spent
  return pace < 1 && (deadlineOf(position, plan) - now) / (1 - pace) < bulkTime ? 'deadline' : undefined
}

function dayEnd(at: number): number {
  return (Math.floor(at / dayMs) + 1) * dayMs
}
