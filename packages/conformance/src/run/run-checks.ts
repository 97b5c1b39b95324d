import { once } from 'node:events'
import { messageOf } from '@cdn/kit/error-message'
import { sleep } from '@cdn/kit/wait'
import type { CheckRun } from '../exchange/run-types.ts'
import type { OpenRun } from './open-run.ts'
import { endReason, RunEnd } from './run-check.ts'

/** Time for the checks to end after the run has ended, in ms. None of them can send a request anymore. */
const graceMs = 5_000

export interface RunChecksOptions {
  readonly signal: AbortSignal
  /** Time after which the run ends, in ms. */
  readonly limitMs: number
  readonly onRun?: (run: CheckRun) => void
}

/**
 * Runs the checks of a run until they end, the user interrupts them, or their time is over. An error outside the checks is a fault of
 * the suite, and does not end the process.
 *
 * @returns the faults, and the number of checks that the time limit prevented; for an interrupted run, no faults and 0
 */
export async function runChecks(open: OpenRun, { signal, limitMs, onRun }: RunChecksOptions) {
  const faults: string[] = []
  const onFault = (error: unknown) => void faults.push(messageOf(error))
  const limit = new AbortController()
  const ends = AbortSignal.any([signal, limit.signal])
  const timer = setTimeout(() => limit.abort(new RunEnd('the time of the run is over')), limitMs)
  const waiting = open.checks.values()
  const work = async () => {
    for (const check of waiting) {
      if (ends.aborted) return
      try {
        const run = await open.run(check, ends)
        onRun?.(run)
      } catch (error) {
        if (!ends.aborted) onFault(error)
      }
    }
  }
  const end = new AbortController()
  const graceIsOver = once(ends, 'abort', end).then(() => sleep(graceMs, end.signal))
  process.on('uncaughtException', onFault)
  try {
    await Promise.race([Promise.all(Array.from({ length: open.concurrency }, work)), graceIsOver])
  } finally {
    process.off('uncaughtException', onFault)
    clearTimeout(timer)
    end.abort()
  }
  if (signal.aborted) return { faults: [], late: 0 }
  const late = limit.signal.aborted ? open.skipRest({ message: endReason(limit.signal) }) : 0
  return { faults, late }
}
