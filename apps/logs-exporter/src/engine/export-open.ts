import type { Window } from '../segments/segment.ts'
import { bulkReason, dayEnd } from './bulk.ts'
import { type Cutter, createCutter } from './cut-windows.ts'
import { isBeyondRetention, isReadFailure } from './failure.ts'
import type { ZoneContext, ZoneMemory } from './options.ts'
import { deadlineOf, openWindows, settledUntil } from './plan.ts'

/** How much a walk covers at least where so much is open, in ms: the pace of a shorter one would be that of a single request. */
const shortestWalk = 15 * 60_000
export const noLongerKept = 'no longer kept by the platform when it could be read'
/** How far from the end of the retention a reading starts, in ms: by the time it is answered it must still be kept. */
const retentionSlack = 60_000

/**
 * Reads the open windows of a range, oldest first, in walks that end at windows.
 *
 * @param from start of a window, in ms since 1970
 * @param to end of a window that has settled, in ms since 1970
 * @param turnMs how long a turn is; when it is over no other walk is begun
 * @returns whether nothing is left open
 */
export async function exportOpen(context: ZoneContext, from: number, to: number, turnMs: number): Promise<boolean> {
  const { zone, ledger, reader, plan, memory, observe } = context
  const begun = reader.now()
  for (let at = from; ; ) {
    const taken = [...(await ledger.windows(zone, at, to)), ...(await ledger.gaps(zone))]
    const open = openWindows(
      zone,
      at,
      to,
      taken.sort((a, b) => a.from - b.from),
      plan.window,
    )
    const [first] = open
    const settled = settledUntil(reader.now(), plan)
    at = first?.from ?? Math.max(at, to)
    observe({ type: 'position', zone, position: at, settled, lag: reader.now() - at, deadline: deadlineOf(at, plan) })
    if (!first) return true
    if (reader.now() - begun >= turnMs) return false
    const reason = bulkReason(context, at)
    if (reason) {
      observe({ type: 'bulk', zone, day: at, reason })
      // Where the day file fails as well, version 2 gets its chance again.
      memory.readFailures = 0
      memory.pace = { covered: 0, spent: 0 }
      await readDay(context, follow(open, dayEnd(at))).catch((error: unknown) => {
        if (reason === 'failing' || !isReadFailure(error)) throw error
      })
    } else {
      const { covered, spent } = memory.pace
      const reach = Math.max(shortestWalk, spent > 0 ? (covered / spent) * turnMs : 0)
      const lost = reader.now() - plan.retention + retentionSlack - at // found out at once, not walk by walk
      memory.pace = await walk(context, follow(open, at + Math.max(reach, lost, plan.window)))
      memory.readFailures = 0
    }
  }
}

/** The windows that follow each other from the first on and end by a time; the first in any case. */
function follow(open: readonly Window[], until: number): Window[] {
  const end = open.findIndex((window, index) => index > 0 && (window.from !== open[index - 1]?.to || window.to > until))
  return open.slice(0, end === -1 ? open.length : end)
}

/**
 * Walks version 2. Troubles after which the walk has come further are met by going on from there.
 *
 * @returns what was covered, and the time in which the reader was waited for, both in ms; a slow sink is no reason to read
 *   version 1
 */
async function walk(context: ZoneContext, windows: readonly Window[]): Promise<ZoneMemory['pace']> {
  const { zone, reader, signal, plan, memory } = context
  const end = windows.at(-1)?.to ?? 0
  const cutter = createCutter(context, windows, 'v2')
  let [covered, spent] = [0, 0]
  try {
    while (cutter.window) {
      const { position } = cutter
      try {
        let asked = reader.now()
        for await (const batch of reader.walk(zone, position, end, signal)) {
          spent += reader.now() - asked
          covered += batch.end - cutter.position
          await cutter.take(batch)
          asked = reader.now()
        }
        if (cutter.window) throw new Error(`The reader ended at ${cutter.position}, before its range did`)
        memory.refusedStarts = 0
      } catch (error) {
        signal.throwIfAborted()
        if (isBeyondRetention(error, cutter.position, reader.now(), plan)) {
          const kept = Math.max(reader.now() - plan.retention, cutter.position)
          // Who refuses again keeps less than is promised, or has another clock.
          await giveUp(context, cutter, windows, kept + retentionSlack * 2 ** memory.refusedStarts++)
        } else if (!isReadFailure(error) || cutter.position === position) throw error
      }
    }
    return { covered, spent }
  } finally {
    await cutter.discard()
  }
}

/** Reads windows of one day from its file of version 1. What the file may lack at the end of the retention is not trusted. */
async function readDay(context: ZoneContext, windows: readonly Window[]): Promise<void> {
  const { zone, reader, signal, plan, memory } = context
  const cutter = createCutter(context, windows, 'v1')
  try {
    const kept = reader.now() - plan.retention + retentionSlack
    if (cutter.position < kept) await giveUp(context, cutter, windows, kept)
    if (!cutter.window) return
    memory.bulkAt = reader.now()
    const end = dayEnd(cutter.window.from)
    for await (const batch of reader.dayFile(zone, cutter.window.from, signal)) await cutter.take(batch)
    if (cutter.window) throw new Error(`The day file ended at ${cutter.position}, before its day did`)
    // The file of a day that is over is not read twice, so the next one need not wait.
    if (end + plan.lateness <= reader.now()) memory.bulkAt = Number.NEGATIVE_INFINITY
  } finally {
    await cutter.discard()
  }
}

/** Names as lost what is open before a time. What was read of a window already is kept; that it is cut off is said first. */
async function giveUp(context: ZoneContext, cutter: Cutter, windows: readonly Window[], before: number): Promise<void> {
  const { zone, ledger, epoch, reader, observe } = context
  const recordPart = await cutter.publishPart()
  const from = recordPart ? cutter.position : (cutter.window?.from ?? before)
  await cutter.skipTo(before)
  const to = cutter.window?.from ?? windows.at(-1)?.to ?? before
  const gap = { zone, from, to, reason: noLongerKept, noticedAt: reader.now() }
  await ledger.recordGap(gap, epoch)
  observe({ type: 'gap', gap })
  await recordPart?.()
}
