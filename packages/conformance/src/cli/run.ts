import { SuiteConfigurationError } from '../exchange/failure.ts'
import type { Report } from '../exchange/report-model.ts'
import type { CheckPlan, CheckRun } from '../exchange/run-types.ts'
import { earlierRuns } from '../memory/memory.ts'
import { type OpenRun, openRun, type RunEnvironment } from '../run/open-run.ts'
import { createRunPlan } from '../run/plan.ts'
import { runChecks } from '../run/run-checks.ts'
import { assembleReport, notStartedReport, reportWithoutChecks } from '../verdict/assemble-report.ts'
import { heldBefore, sameTarget, targetText } from '../verdict/changes.ts'
import { readExpectations } from '../verdict/expectations.ts'
import type { RunOptions } from './options.ts'

/** The environment of a run, and its callbacks. An aborted run still sweeps the target and creates its report. */
export interface RunObserver extends Pick<RunEnvironment, 'signal' | 'onNotice' | 'env' | 'killedRuns' | 'clock'> {
  /** Called once with the number of checks, then after each check. */
  onCheck?(total: number, run?: CheckRun): void
  /**
   * Called before the checks, and after a check at most every 15 s, with the report so far. The last one stays if the process is killed.
   */
  readonly onReport?: ((report: Report) => Promise<unknown>) | undefined
}

/** Minimum time between two calls of `onReport`, in ms. */
const reportEveryMs = 15_000

/** Time limit for the checks of a run, in minutes, unless `--time-limit` sets another. */
const defaultMinutes = 10

/**
 * Runs the suite against a target and assembles the report, without writing it. If the set-up fails, the report says why no check ran.
 *
 * @throws SuiteConfigurationError if nothing is selected, or if `require` names a requirement that this run cannot check
 */
export async function run(options: RunOptions, observer: RunObserver): Promise<Report> {
  const { signal, onCheck, onReport } = observer
  const plan = createRunPlan(options)
  const required = options.require && requiredIds(options.require, plan)
  const startedAt = new Date()
  let toClose: OpenRun | undefined
  try {
    // The preflight may take minutes, and a run that is killed then is known by this report only.
    await onReport?.(reportWithoutChecks(options, plan, startedAt, { status: 'running' })).catch(() => {})
    const expectations = options.expect === undefined ? [] : await readExpectations(options.expect)
    onCheck?.(plan.checks.length)
    const likeness = options.like === undefined ? undefined : await likenessIn(options.like)
    const { timeLimit = defaultMinutes } = options
    const limitMs = timeLimit * 60_000
    // With the same seed, the random cases are those of the run on the platform.
    const config = { seed: likeness?.seed, variants: likeness?.variants, ...options }
    const open = await openRun(config, plan, observer)
    toClose = open
    await open.begin(limitMs)
    let writing: Promise<unknown> = Promise.resolve()
    let writtenAt = performance.now()
    const write = () => {
      writtenAt = performance.now()
      // Ignore the error here: the final report fails in the same way, and then the user sees it.
      writing = writing.then(() => onReport?.(assembleReport({ ...open.facts(), status: 'running' }))).catch(() => {})
    }
    write()
    const onRun = (done: CheckRun) => {
      onCheck?.(plan.checks.length, done)
      if (performance.now() - writtenAt >= reportEveryMs) write()
    }
    const { faults, late } = await runChecks(open, { signal, limitMs, onRun })
    await writing
    const held = heldBefore(sameTarget(earlierRuns(options.out), targetText(open.facts())))
    const status = signal.aborted ? 'interrupted' : faults.length > 0 ? 'crashed' : 'complete'
    const problems = [
      ...faults.map((fault) => `Fault of the suite: ${fault}`),
      ...(late > 0 ? [`The time limit of ${timeLimit} min is over, and ${late} checks did not end.`] : []),
    ]
    return assembleReport({
      ...(await open.close()),
      required,
      expectations,
      likeness,
      heldBefore: held,
      failOn: options.failOn,
      problems,
      status,
    })
  } catch (error) {
    await toClose?.close().catch(() => {})
    return notStartedReport(options, plan, startedAt, error)
  }
}

/** Reads the report that an emulator follows. @throws SuiteConfigurationError in one sentence */
async function likenessIn(file: string) {
  const { readLikeness } = await import('@cdn/emulator')
  return readLikeness(file).catch(({ message }: Error) => {
    throw new SuiteConfigurationError(`--like: ${message}.`)
  })
}

/**
 * Returns the ids of the requirements that `--require` names. The groups `all` and `spec` leave out requirements that no check can decide.
 *
 * @throws SuiteConfigurationError for an id that is not a checkable requirement of the plan
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
