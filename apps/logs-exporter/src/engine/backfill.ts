import type { Gap } from '../ledger/ledger.ts'
import { SinkError } from '../sinks/sink-error.ts'
import { work } from './engine.ts'
import { exportOpen } from './export-open.ts'
import { isRefusal, toError } from './failure.ts'
import type { EngineOptions } from './options.ts'
import { settledUntil } from './plan.ts'
import { reconcileRange } from './reconcile.ts'
import { turnMs } from './turn.ts'

/** A range of zones, in ms since 1970; windows that it touches are exported whole. */
export interface BackfillRequest {
  readonly zones: readonly string[]
  readonly from: number
  readonly to: number
}

/** What became of a zone. */
export interface BackfilledZone {
  readonly zone: string
  /** Every window that ends by this time is in the sink, or lies in a gap; earlier than `to` where the rest has not settled. */
  readonly until: number
  /** What of the range is lost. */
  readonly gaps: readonly Gap[]
  /** Why it was given up; undefined where it is done. */
  readonly error: Error | undefined
}

/** Turns of a zone that may fail in a row before it is given up. */
const mostFailures = 5

/**
 * Exports one range: what of it the ledger or the sink has already is left alone. The coordinator must give the zones of the
 * request and no others.
 *
 * @throws SinkError of kind `closed` where nobody reads the sink any more
 */
export async function backfill(
  options: EngineOptions,
  { zones, from, to }: BackfillRequest,
): Promise<BackfilledZone[]> {
  const { plan, reader, ledger } = options
  const done = new Map<string, Pick<BackfilledZone, 'until' | 'error'>>()
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
    const until = Math.max(start, Math.min(end, settledUntil(reader.now(), plan)))
    try {
      if (!memory.isReconciled) await reconcileRange(context, start, until)
      memory.isReconciled = true
      const isDone = await exportOpen(context, start, until, turnMs)
      return isDone ? finish(zone, until) : { nextDue: reader.now(), deadline: start }
    } catch (error) {
      context.signal.throwIfAborted()
      // A consumer of stdout that is gone will never take more, of no zone.
      if (error instanceof SinkError && error.kind === 'closed') {
        finished.abort(error)
        return over
      }
      if (memory.failures + 1 < mostFailures && !isRefusal(error)) throw error
      return finish(zone, start, toError(error))
    }
  })
  if (finished.signal.reason instanceof SinkError) throw finished.signal.reason
  return Promise.all(
    zones.map(async (zone) => {
      const { until = start, error } = done.get(zone) ?? {}
      const gaps = (await ledger.gaps(zone)).filter((gap) => gap.from < end && gap.to > start)
      return { zone, until, gaps, error }
    }),
  )
}

const over = { nextDue: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY }
