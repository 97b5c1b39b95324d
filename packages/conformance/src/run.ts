import { readBaseline } from './baseline/baseline.ts'
import { ConfigurationError } from './failure.ts'
import { readFixtures } from './fixtures.ts'
import { readKnownFailing } from './known-failing/list.ts'
import type { RunOptions } from './options.ts'
import { preflight, preflightRequests } from './preflight.ts'
import { assembleReport } from './report/assemble.ts'
import type { Report } from './report/model.ts'
import type { CheckRun } from './run-check.ts'
import { planOf } from './suite/plan-of.ts'
import type { RunConfig } from './suite/run-config.ts'
import { runSuite, type SuiteRun } from './suite/run-suite.ts'
import { createKeeper, type Keeper, type Undone } from './undo/keeper.ts'

/** Who looks on while a run goes on. */
export interface Observer {
  /** Ends the run early; it still takes back what it wrote, and gives a report. */
  readonly signal: AbortSignal
  /** Called once with how many checks there are, then as each ends. */
  onCheck?(total: number, run?: CheckRun): void
  /** Called with a sentence that the user should read. */
  onNotice?(sentence: string): void
}

/**
 * Runs the suite against a target and puts the report together, without writing it.
 *
 * @throws ConfigurationError where the target cannot be reached, a file is wrong, or nothing is selected
 */
export async function run(options: RunOptions, observer: Observer): Promise<Report> {
  const { config, failOnDrift } = options
  const { signal, onCheck, onNotice } = observer
  const startedAt = new Date()
  const plan = planOf(config)
  if (plan.checks.length === 0)
    throw new ConfigurationError('Nothing is selected: no check has this ground and through.')
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

interface Watcher {
  readonly signal: AbortSignal
  readonly onRun: (run: CheckRun) => void
  readonly onNotice: (sentence: string) => void
}

type Ended = SuiteRun & Pick<Undone, 'left'>

async function runAndUndo({ config, out }: RunOptions, watcher: Watcher): Promise<Ended> {
  const { managementUrl, loggingUrl, fixtures } = config
  // Only a live target outlives its run, and holds what a run left behind.
  if (!managementUrl || !loggingUrl || !fixtures) return { ...(await runSuite(config, watcher)), left: [] }
  const { credentials } = await readFixtures(fixtures, process.env)
  await preflight({ management: managementUrl, logging: loggingUrl }, watcher.signal)
  const keeper = await createKeeper(out, managementUrl, credentials)
  try {
    const earlier = await settleEarlier(keeper, config, watcher)
    const suite = await runSuite({ ...withoutPreflight(config), journal: keeper.journal }, watcher)
    const own = await keeper.takeBackOwn()
    say(watcher, 'Taken back after the checks', own)
    return { ...suite, left: [...earlier.left, ...own.left] }
  } finally {
    await keeper.close()
  }
}

/** A run that may not write leaves alone what a killed one left, and says so. */
async function settleEarlier(keeper: Keeper, { allow }: RunConfig, watcher: Watcher): Promise<Undone> {
  const nothing = { taken: [], left: [] }
  const count = await keeper.countEarlier()
  if (count === 0) return nothing
  if (!allow.includes('write') && !allow.includes('destructive')) {
    watcher.onNotice(
      `An earlier run was killed before it could take back ${count} of its writes; a run with --allow write or destructive does it.`,
    )
    return nothing
  }
  const earlier = await keeper.takeBackEarlier()
  say(watcher, 'Taken back from an earlier run that was killed', earlier)
  return earlier
}

function say({ onNotice }: Watcher, what: string, { taken, left }: Undone): void {
  if (taken.length > 0) onNotice(`${what}: ${taken.map(({ step }) => step.text).join('; ')}.`)
  if (left.length > 0) {
    onNotice(
      `${left.map(({ reason }) => reason).join('; ')}. The next run that writes its reports beside these tries again.`,
    )
  }
}

/** What the preflight sent is part of the budget. */
function withoutPreflight(config: RunConfig): RunConfig {
  return config.budget === undefined ? config : { ...config, budget: Math.max(0, config.budget - preflightRequests) }
}
