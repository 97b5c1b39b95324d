import { dirname, join, resolve } from 'node:path'
import { SuiteConfigurationError } from '../core/failure.ts'
import { readFixtures } from '../core/fixtures.ts'
import type { CheckPlan } from '../core/plan.ts'
import type { CheckRun } from '../core/run-check.ts'
import { readBaseline } from '../expectations/baseline.ts'
import { readKnownFailing } from '../expectations/known-failing-list.ts'
import { assembleReport } from '../report/assemble.ts'
import type { Report } from '../report/model.ts'
import { createProber } from '../runner/exchange.ts'
import { checkFixtures } from '../runner/fixture-problems.ts'
import { checkTarget } from '../runner/preflight.ts'
import { runPlan } from '../runner/suite/plan-of.ts'
import type { RunConfig } from '../runner/suite/run-config.ts'
import { runSuite, type SuiteRun } from '../runner/suite/run-suite.ts'
import { createUndoRunner, type Undone, type UndoRunner } from '../runner/undo/undo-runner.ts'
import type { RunCommandOptions } from './options.ts'

/** Callbacks and the signal of a run. */
export interface RunObserver {
  /** Ends the run early. The run still undoes its writes and creates its report. */
  readonly signal: AbortSignal
  /** Called once with the number of checks, then after each check. */
  onCheck?(total: number, run?: CheckRun): void
  /** Called with each sentence for the user. */
  onNotice?(sentence: string): void
}

/**
 * Runs the suite against a target and assembles the report, without writing it.
 *
 * @throws ConfigurationError if a file is invalid or nothing is selected; SetupError for a wrong set-up of a live run
 */
export async function run(options: RunCommandOptions, observer: RunObserver): Promise<Report> {
  const { config, failOnDrift } = options
  const { signal, onCheck, onNotice } = observer
  const startedAt = new Date()
  const plan = runPlan(config)
  if (plan.checks.length === 0)
    throw new SuiteConfigurationError('No check is selected: none has this combination of --source and --basis.')
  const required = requiredIds(options.require, plan)
  const knownFailing = options.knownFailing === undefined ? [] : await readKnownFailing(options.knownFailing)
  const baseline = options.baseline === undefined ? undefined : await readBaseline(options.baseline, config.target)
  onCheck?.(plan.checks.length)
  const { runs, faults, left } = await runAndUndo(options, {
    signal,
    onNotice: onNotice ?? (() => {}),
    onRun: (done) => onCheck?.(plan.checks.length, done),
  })
  const { managementUrl, loggingUrl } = config
  return assembleReport({
    plan,
    ...(required && { required }),
    runs,
    faults,
    left,
    knownFailing,
    baseline,
    failOnDrift,
    startedAt: startedAt.toISOString(),
    durationMs: Date.now() - startedAt.getTime(),
    status: signal.aborted ? 'interrupted' : faults.length > 0 ? 'crashed' : 'complete',
    target: { kind: config.target, ...(managementUrl && loggingUrl && { managementUrl, loggingUrl }) },
  })
}

/**
 * Returns the ids of the requirements of `--require` that can be checked.
 *
 * @throws ConfigurationError for an id that the plan does not have
 */
function requiredIds(require: RunCommandOptions['require'], { requirements }: CheckPlan): string[] | undefined {
  if (require === undefined) return undefined
  const checkable = requirements.filter(({ unchecked }) => unchecked === undefined)
  if (require === 'all') return checkable.map(({ id }) => id)
  if (require === 'spec') return checkable.filter(({ source }) => source === 'spec').map(({ id }) => id)
  const unknown = require.find((id) => !checkable.some((requirement) => requirement.id === id))
  if (unknown === undefined) return [...require]
  throw new SuiteConfigurationError(`--require names ${unknown}, which is not a requirement that this run can check.`)
}

interface Watcher {
  readonly signal: AbortSignal
  readonly onRun: (run: CheckRun) => void
  readonly onNotice: (sentence: string) => void
}

type Ended = SuiteRun & Pick<Undone, 'left'>

async function runAndUndo({ config, out }: RunCommandOptions, watcher: Watcher): Promise<Ended> {
  const { managementUrl, loggingUrl, fixtures } = config
  // Only a live target still exists after the run, with any writes that were not undone.
  if (!managementUrl || !loggingUrl || !fixtures) return { ...(await runSuite(config, watcher)), left: [] }
  const named = await readFixtures(fixtures, process.env)
  const prober = createProber({ fetch, now: Date.now, signal: watcher.signal })
  const urls = { management: new URL(managementUrl), logging: new URL(loggingUrl) }
  const setup = { urls, fixtures: named, prober, now: Date.now }
  for (const notice of await unlessInterrupted(() => checkTarget(setup), watcher.signal)) watcher.onNotice(notice)
  const undoRunner = await createUndoRunner(out, managementUrl, named, watcher.onNotice)
  try {
    // A killed run may have left a resource in another state than the fixtures claim. So its writes are undone first.
    const earlier = await undoEarlierRun(undoRunner, config, watcher)
    await unlessInterrupted(() => checkFixtures(setup, config.allow), watcher.signal)
    const clockOffsetMs = prober.clockOffsetMs()
    const notes = join(dirname(resolve(out)), 'notes.json')
    const ownConfig = {
      ...withoutPreflight(config, prober.requests()),
      journal: undoRunner.journal,
      clockOffsetMs,
      notes,
    }
    const suite = await runSuite(ownConfig, watcher)
    const undone = await undoRunner.undoOwn()
    say(watcher, 'Undone after the checks', undone)
    return { ...suite, left: [...earlier.left, ...undone.left] }
  } finally {
    await undoRunner.close()
  }
}

/** Undoes the writes that killed runs left. A run without write permission only reports them. */
async function undoEarlierRun(undoRunner: UndoRunner, { allow }: RunConfig, watcher: Watcher): Promise<Undone> {
  const nothing = { undone: [], left: [] }
  const count = await undoRunner.countEarlier()
  if (count === 0) return nothing
  if (!allow.includes('write') && !allow.includes('destructive')) {
    watcher.onNotice(
      `An earlier run was killed before it could undo ${count} of its writes; a run with --allow write or destructive undoes them.`,
    )
    return nothing
  }
  const earlier = await undoRunner.undoEarlier()
  say(watcher, 'Undone from an earlier run that was killed', earlier)
  return earlier
}

function say({ onNotice }: Watcher, what: string, { undone, left }: Undone): void {
  if (undone.length > 0) onNotice(`${what}: ${undone.map(({ step }) => step.text).join('; ')}.`)
  if (left.length > 0) {
    onNotice(
      `${left.map(({ reason }) => reason).join('; ')}. The next run with the same parent folder of reports tries again.`,
    )
  }
}

/** Subtracts the requests of the preflight from the budget. */
function withoutPreflight(config: RunConfig, requests: number): RunConfig {
  return config.budget === undefined ? config : { ...config, budget: Math.max(0, config.budget - requests) }
}

/** If the preflight is interrupted, hides its error: the run still creates its report, in which no check ran. */
async function unlessInterrupted<T>(work: () => Promise<T[] | T>, signal: AbortSignal): Promise<T[]> {
  try {
    const result = await work()
    return Array.isArray(result) ? result : [result]
  } catch (error) {
    if (signal.aborted) return []
    throw error
  }
}
