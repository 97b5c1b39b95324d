import type { WindowState } from '../ledger/ledger.ts'
import { type ExportRange, overlaps, type Window } from '../segments/segment.ts'
import { runCycles } from './engine.ts'
import { cycleMs, exportOpen, openWindowsOf, retentionSlack } from './export-open.ts'
import { isDamage } from './failure.ts'
import type { EngineOptions, ZoneContext } from './options.ts'
import { closedUntil, oldestKept } from './plan.ts'
import { revise } from './recheck.ts'
import { dropFuture, missingWindows, recoverRange } from './recover.ts'

/** A range to export. A window that overlaps the range is exported whole. */
export interface BackfillRequest extends ExportRange {
  readonly zones: readonly string[]
  /** Whether to reread windows that are already exported. Their late rows become revisions. */
  readonly again: boolean
}

export type BackfilledZone = Awaited<ReturnType<typeof backfillRange>>[number]

interface ZoneResult {
  readonly until: number
  readonly unkept: readonly Window[]
  readonly missing: readonly Window[]
}

/**
 * Exports one range, except for the parts that are already in the sink. A window whose segment is gone is read again, if the platform
 * still has it. The zones of the schedule must be exactly those of the request.
 *
 * @returns for each zone:
 *   - `gaps`: the lost parts of the range;
 *   - `unread`: the parts that cannot be read yet;
 *   - `unkept`: the parts that were older than the retention at the start;
 *   - `missing`: the windows whose segments are gone, by a listing of the sink at the end;
 *   - `error`: the reason of a failed export, or the damage of a segment whose window could not be read again;
 *   - `until`: every other window that ends by this time is in the sink, or empty. Earlier than `to` if the rest has not closed yet.
 */
export async function backfillRange(options: EngineOptions, { zones, from, to, again }: BackfillRequest) {
  const { plan, reader, ledger } = options
  const done = new Map<string, ZoneResult>()
  const start = Math.floor(from / plan.window) * plan.window
  const end = Math.ceil(to / plan.window) * plan.window
  /** The start of the part that the platform still had at the start of the export, by zone. */
  const starts = new Map<string, number>()
  /** The windows to read again. */
  const rereads = new Map<string, WindowState[]>()
  const damaged = new Map<string, Error>()

  async function cycle(context: ZoneContext) {
    const { zone, memory } = context
    const until = Math.max(start, Math.min(end, closedUntil(reader.now(), plan)))
    if (!memory.isRecovered) {
      await dropFuture(context)
      const oldest = oldestKept(reader.now(), plan, retentionSlack)
      await recoverRange(context, start, until, oldest)
      starts.set(zone, oldest)
      const read = again ? await ledger.windows(zone, start, until) : await missingWindows(context, start, until)
      rereads.set(
        zone,
        read.filter(({ from }) => from >= oldest),
      )
    }
    memory.isRecovered = true
    const begun = reader.now()
    const left = rereads.get(zone) ?? []
    for (let window = left[0]; window; window = left[0]) {
      if (reader.now() - begun >= cycleMs) return { nextDue: reader.now(), deadline: start }
      await revise(context, window, true).catch((error: unknown) => {
        if (!isDamage(error)) throw error
        damaged.set(zone, error)
      })
      left.shift()
    }
    const first = Math.max(start, starts.get(zone) ?? start)
    const isDone = until <= first || (await exportOpen(context, first, until))
    if (!isDone) return { nextDue: reader.now(), deadline: start }
    // A range that was older than the retention at the start is not a loss of the exporter, so the ledger has no gap.
    const whole = { zone, from: start, to: Math.min(first, until) }
    const unkept = await openWindowsOf(ledger, whole, Number.POSITIVE_INFINITY)
    done.set(zone, { until, unkept, missing: await missingWindows(context, start, until) })
    return { nextDue: Number.POSITIVE_INFINITY, deadline: start }
  }

  const failed = await runCycles(options, cycle, zones)
  return Promise.all(
    zones.map(async (zone) => {
      const { until = start, unkept = [], missing = [] } = done.get(zone) ?? {}
      const isIn = (gap: ExportRange) => overlaps(gap, { from: start, to: end })
      const gaps = (await ledger.gaps(zone)).filter(isIn)
      const unread = (await ledger.openGaps(zone)).filter(isIn)
      return { zone, until, gaps, unkept, unread, missing, error: failed.get(zone) ?? damaged.get(zone) }
    }),
  )
}
