import type { Report } from '../report/model.ts'
import { SuiteConfigurationError } from '../run/failure.ts'
import { openRun, type Surroundings } from '../run/open-run.ts'
import { type CheckPlan, planOf } from '../run/plan.ts'
import type { CheckRun } from '../run/run-check.ts'
import { runChecks } from '../run/run-checks.ts'
import { assembleReport } from '../verdict/assemble.ts'
import { readBaseline } from '../verdict/baseline.ts'
import { readExpectedFailures } from '../verdict/expectations.ts'
import type { RunOptions } from './options.ts'

/** Callbacks and the signal of a run. An aborted run still sweeps the target and creates its report. */
export interface RunObserver extends Pick<Surroundings, 'signal' | 'onNotice'> {
  /** Called once with the number of checks, then after each check. */
  onCheck?(total: number, run?: CheckRun): void
}

/** Maximum time of the checks of a run, in minutes. */
const defaultMinutes = 10

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
  const { timeLimit = defaultMinutes } = options
  const onRun = (done: CheckRun) => onCheck?.(plan.checks.length, done)
  const { faults, late } = await runChecks(open, { signal, limitMs: timeLimit * 60_000, onRun })
  const status = signal.aborted ? 'interrupted' : faults.length > 0 ? 'crashed' : 'complete'
  if (late > 0) faults.push(`the time limit of ${timeLimit} min is over, and ${late} checks did not end`)
  const expectations = { required, expectedFailures, baseline, failOn: options.failOn }
  return assembleReport({ ...(await open.close()), ...expectations, faults, status })
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
