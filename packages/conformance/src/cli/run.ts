import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Report } from '../report/model.ts'
import { SuiteConfigurationError } from '../run/failure.ts'
import { type OpenRun, openRun, type Surroundings } from '../run/open-run.ts'
import { type CheckPlan, planOf } from '../run/plan.ts'
import type { CheckRun } from '../run/run-check.ts'
import { assembleReport } from '../verdict/assemble.ts'
import { readBaseline } from '../verdict/baseline.ts'
import { readExpectedFailures } from '../verdict/expectations.ts'
import type { RunOptions } from './options.ts'

/** Callbacks and the signal of a run. An aborted run still undoes its writes and creates its report. */
export interface RunObserver extends Pick<Surroundings, 'signal' | 'onNotice'> {
  /** Called once with the number of checks, then after each check. */
  onCheck?(total: number, run?: CheckRun): void
}

/**
 * Runs the suite against a target and assembles the report, without writing it.
 *
 * @throws SuiteConfigurationError if a file is invalid or nothing is selected; SetupError for a wrong set-up of a live run
 */
export async function run(options: RunOptions, { signal, onCheck, onNotice }: RunObserver): Promise<Report> {
  const plan = planOf(options)
  const required = options.require && requiredIds(options.require, plan)
  const expectedFailures = options.knownFailing === undefined ? [] : await readExpectedFailures(options.knownFailing)
  const baseline = options.baseline === undefined ? undefined : await readBaseline(options.baseline, options.target)
  onCheck?.(plan.checks.length)
  const open = await openRun(options, plan, { signal, onNotice })
  const faults = await runChecks(open, signal, (done) => onCheck?.(plan.checks.length, done))
  const status = signal.aborted ? 'interrupted' : faults.length > 0 ? 'crashed' : 'complete'
  const expectations = { required, expectedFailures, baseline, failOn: options.failOn }
  return assembleReport({ ...(await open.close()), ...expectations, faults, status })
}

/** Time for interrupted checks to end, in ms. None of them can send a request anymore. */
const graceMs = 5_000

/**
 * Runs all checks. An error outside the checks is a fault of the suite, and does not end the process.
 *
 * @returns the faults; none for an interrupted run
 */
async function runChecks(open: OpenRun, signal: AbortSignal, onRun: (run: CheckRun) => void): Promise<string[]> {
  const faults: string[] = []
  const onFault = (error: unknown) => void faults.push(error instanceof Error ? error.message : String(error))
  const waiting = open.checks.values()
  const work = async () => {
    for (const check of waiting) {
      if (signal.aborted) return
      try {
        onRun(await open.run(check, signal))
      } catch (error) {
        if (!signal.aborted) onFault(error)
      }
    }
  }
  const end = new AbortController()
  const graceIsOver = once(signal, 'abort', end).then(() => sleep(graceMs, undefined, end))
  process.on('uncaughtException', onFault)
  try {
    await Promise.race([Promise.all(Array.from({ length: open.concurrency }, work)), graceIsOver])
  } finally {
    process.off('uncaughtException', onFault)
    end.abort()
  }
  return signal.aborted ? [] : [...faults]
}

/**
 * Returns the ids of the requirements of `--require` that can be checked.
 *
 * @throws SuiteConfigurationError for an id that the plan does not have
 */
function requiredIds(require: readonly string[], { requirements }: CheckPlan): readonly string[] {
  const checkable = requirements.filter(({ unchecked }) => unchecked === undefined)
  const [group] = require
  if (require.length === 1 && (group === 'all' || group === 'spec'))
    return checkable.filter(({ source }) => group === 'all' || source === group).map(({ id }) => id)
  const unknown = require.find((id) => !checkable.some((requirement) => requirement.id === id))
  if (unknown === undefined) return require
  throw new SuiteConfigurationError(`--require names ${unknown}, which is not a requirement that this run can check.`)
}
