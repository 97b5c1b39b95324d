import { SuiteConfigurationError } from '../core/failure.ts'
import { readBaseline } from '../expectations/baseline.ts'
import { readKnownFailing } from '../expectations/known-failing.ts'
import { assembleReport } from '../report/assemble.ts'
import type { Report } from '../report/model.ts'
import { type OpenRun, openRun, type RunConfig, type Surroundings } from '../runner/open-run.ts'
import { type CheckPlan, planOf } from '../runner/plan.ts'
import { type CheckRun, seedOf } from '../runner/run-check.ts'
import type { RunOptions } from './options.ts'

/** Callbacks and the signal of a run. An aborted run still undoes its writes and creates its report. */
export interface RunObserver extends Pick<Surroundings, 'signal' | 'onNotice'> {
  /** Called once with the number of checks, then after each check. */
  onCheck?(total: number, run?: CheckRun): void
}

/**
 * Runs the suite against a target and assembles the report, without writing it.
 *
 * @throws ConfigurationError if a file is invalid or nothing is selected; SetupError for a wrong set-up of a live run
 */
export async function run(options: RunOptions, observer: RunObserver): Promise<Report> {
  const { signal, onCheck, onNotice } = observer
  const startedAt = new Date()
  const { seed = seedOf(startedAt), target, managementUrl, loggingUrl } = options
  const plan = planOf(options)
  const required = requiredIds(options.require, plan)
  const knownFailing = options.knownFailing === undefined ? [] : await readKnownFailing(options.knownFailing)
  const baseline = options.baseline === undefined ? undefined : await readBaseline(options.baseline, target)
  onCheck?.(plan.checks.length)
  // If the preflight is interrupted, the run still creates its report, in which no check ran.
  const open = await openRun({ ...options, seed }, plan, { signal, onNotice }).catch((error) => {
    if (!signal.aborted) throw error
    return undefined
  })
  const onRun = (done: CheckRun) => onCheck?.(plan.checks.length, done)
  const { runs, faults } = open ? await runChecks(open, signal, onRun) : { runs: [], faults: [] }
  const left = (await open?.close()) ?? []
  return assembleReport({
    plan,
    ...(required && { required }),
    runs,
    faults,
    left,
    knownFailing,
    baseline,
    failOn: options.failOn ?? [],
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    status: signal.aborted ? 'interrupted' : faults.length > 0 ? 'crashed' : 'complete',
    seed,
    target: { kind: target, ...(managementUrl && loggingUrl && { managementUrl, loggingUrl }) },
  })
}

/**
 * Sends a stored case again.
 *
 * @param config with `replay`
 * @returns the exit code and a sentence: 1 if the case still fails, 0 if it passes, 2 if it could not be sent
 */
export async function replay(
  config: RunConfig,
  { signal, onNotice }: RunObserver,
): Promise<{ readonly code: number; readonly sentence: string }> {
  const plan = planOf(config)
  const open = await openRun(config, plan, { signal, onNotice })
  const { runs, faults } = await runChecks(open, signal, () => {})
  await open.close()
  const [result] = runs.map((run) => run.result)
  if (signal.aborted) return { code: 130, sentence: 'Interrupted.' }
  const { id = config.replay?.check, outcome, message = faults.join(' ') } = result ?? {}
  if (outcome === 'pass') return { code: 0, sentence: `${id} passes now.` }
  if (outcome === 'fail') return { code: 1, sentence: `${id} still fails: ${message}` }
  return { code: 2, sentence: `${id} is undecided: ${message}` }
}

/** Time for interrupted checks to end, in ms. None of them can send a request anymore. */
const graceMs = 5_000

/** Runs all checks. An error outside the checks is a fault of the suite, and does not end the process. */
async function runChecks(open: OpenRun, signal: AbortSignal, onRun: (run: CheckRun) => void) {
  const runs: CheckRun[] = []
  const faults: string[] = []
  const onFault = (error: unknown) => void faults.push(error instanceof Error ? error.message : String(error))
  const waiting = open.checks.values()
  const work = async () => {
    for (const check of waiting) {
      if (signal.aborted) return
      try {
        const run = await open.run(check, signal)
        runs.push(run)
        onRun(run)
      } catch (error) {
        if (!signal.aborted) onFault(error)
      }
    }
  }
  const { promise: graceIsOver, resolve } = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    timer = setTimeout(resolve, graceMs)
  }
  signal.addEventListener('abort', stop, { once: true })
  process.on('uncaughtException', onFault)
  try {
    await Promise.race([Promise.all(Array.from({ length: open.concurrency }, work)), graceIsOver])
  } finally {
    process.off('uncaughtException', onFault)
    signal.removeEventListener('abort', stop)
    clearTimeout(timer)
  }
  return { runs: [...runs], faults: signal.aborted ? [] : [...faults] }
}

/**
 * Returns the ids of the requirements of `--require` that can be checked.
 *
 * @throws ConfigurationError for an id that the plan does not have
 */
function requiredIds(require: RunOptions['require'], { requirements }: CheckPlan): string[] | undefined {
  if (require === undefined) return undefined
  const checkable = requirements.filter(({ unchecked }) => unchecked === undefined)
  if (require.join() === 'all') return checkable.map(({ id }) => id)
  if (require.join() === 'spec') return checkable.filter(({ source }) => source === 'spec').map(({ id }) => id)
  const unknown = require.find((id) => !checkable.some((requirement) => requirement.id === id))
  if (unknown === undefined) return [...require]
  throw new SuiteConfigurationError(`--require names ${unknown}, which is not a requirement that this run can check.`)
}
