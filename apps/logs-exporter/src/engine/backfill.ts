import { toError } from '../errors.ts'
import type { ExportRange } from '../segments/segment.ts'
import { cycleMs, work } from './engine.ts'
import { exportOpen, retentionSlack } from './export-open.ts'
import { isRefusal } from './failure.ts'
import type { EngineOptions } from './options.ts'
import { closedUntil } from './plan.ts'
import { revise } from './recheck.ts'
import { reconcileRange, repair } from './reconcile.ts'

/** A range to export. A window that overlaps the range is exported whole. */
export interface BackfillRequest extends ExportRange {
  readonly zones: readonly string[]
  /** Whether to read windows that are already exported again. Their late rows become revisions. */
  readonly again: boolean
}

/** The result for one zone. */
export type BackfilledZone = Awaited<ReturnType<typeof exportRange>>[number]

/** Consecutive failed cycles after which the backfill drops a zone. */
const maxFailures = 5

/**
 * Exports one range, except for the parts that are already in the ledger or the sink. The zones of the schedule must be exactly
 * those of the request, and at least one.
 *
 * @returns for each zone, the lost parts of the range as `gaps`, and why its export failed as `error`. Every window that ends by
 *   `until` is in the sink, or lies in a gap; `until` is earlier than `to` if the rest has not closed yet
 */
export async function exportRange(options: EngineOptions, { zones, from, to, again }: BackfillRequest) {
  const { plan, reader, ledger } = options
  const done = new Map<string, { readonly until: number; readonly error: Error | undefined }>()
  const finished = new AbortController()
  const start = Math.floor(from / plan.window) * plan.window
  const end = Math.ceil(to / plan.window) * plan.window

  function finish(zone: string, until: number, error?: Error): typeof over {
    done.set(zone, { until, error })
    if (done.size === zones.length) finished.abort()
    return over
  }

  const signal = AbortSignal.any([options.signal, finished.signal])
  await work({ ...options, signal }, async (context) => {
    const { zone, memory } = context
    const until = Math.max(start, Math.min(end, closedUntil(reader.now(), plan)))
    try {
      if (!memory.isReconciled) {
        await repair(context)
        await reconcileRange(context, start, until)
        const oldestKept = reader.now() - plan.retention + retentionSlack
        const read = again ? await ledger.windows(zone, start, until) : []
        for (const window of read) if (window.from >= oldestKept) await revise(context, window)
      }
      memory.isReconciled = true
      const isDone = await exportOpen(context, start, until, cycleMs)
      return isDone ? finish(zone, until) : { nextDue: reader.now(), deadline: start }
    } catch (error) {
      context.signal.throwIfAborted()
      if (memory.failures + 1 < maxFailures && !isRefusal(error)) throw error
      return finish(zone, start, toError(error))
    }
  })
  return Promise.all(
    zones.map(async (zone) => {
      const { until = start, error } = done.get(zone) ?? {}
      const gaps = (await ledger.gaps(zone)).filter((gap) => gap.from < end && gap.to > start)
      return { zone, until, gaps, error }
    }),
  )
}

const over = { nextDue: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY }
