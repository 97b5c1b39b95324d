/** Runs the checks as tests of a user's vitest project. */
import type { afterAll as AfterAll, test as Test, TestContext } from 'vitest'
import { readFixtures } from '../core/fixtures.ts'
import type { Permission } from '../core/plan.ts'
import { createLiveTarget } from '../targets/live.ts'
import { createProber } from './exchange.ts'
import { checkFixtures } from './fixture-problems.ts'
import { openNotes } from './notes.ts'
import { checkTarget } from './preflight.ts'
import { runOnTarget } from './run-on-target.ts'
import { runPlan } from './suite/plan-of.ts'
import { withholdOnLive } from './suite/withhold.ts'
import { openJournal } from './undo/journal.ts'
import { createUndoRunner } from './undo/undo-runner.ts'

/** The deployment under test. */
export interface Deployment {
  readonly managementUrl: string
  readonly loggingUrl: string
  /** Path of the fixtures file; the environment variables that it names must be set. */
  readonly fixtures: string
  /** Effects that the checks may have; read only by default. */
  readonly allow?: readonly Permission[]
  /** The journal of writes and the notes are next to this folder; `reports/vitest` by default. */
  readonly out?: string
}

/** The functions of the caller's copy of vitest. */
export interface VitestApi {
  readonly test: typeof Test
  readonly afterAll: typeof AfterAll
}

/** Time limit of a test in ms. It is long, because checks wait for each other and for the rate limit. */
const timeoutMs = 1_200_000

/**
 * Registers one test per check. Await this function at the top of a test file. A skipped check becomes a skipped test
 * with the reason. Writes are undone in the same way as by the command line.
 *
 * @throws SetupError with one sentence per problem of the URLs, credentials or fixtures
 */
export async function registerChecks({ test, afterAll }: VitestApi, deployment: Deployment): Promise<void> {
  const { managementUrl, loggingUrl, allow = [], out = 'reports/vitest' } = deployment
  const fixtures = await readFixtures(deployment.fixtures, process.env)
  const urls = { management: new URL(managementUrl), logging: new URL(loggingUrl) }
  const prober = createProber({ fetch, now: Date.now, signal: new AbortController().signal })
  const setup = { urls, fixtures, prober, now: Date.now }
  await checkTarget(setup)
  const undoRunner = await createUndoRunner(out, urls.management.href, fixtures, process.emitWarning)
  if (allow.includes('write') || allow.includes('destructive')) await undoRunner.undoEarlier()
  await checkFixtures(setup, allow)
  const journal = openJournal(undoRunner.journal, urls.management.href)
  const notes = await openNotes(`${out}.notes.json`)
  const target = createLiveTarget(urls, fixtures, { clockOffsetMs: prober.clockOffsetMs(), notes })
  const { checks } = runPlan({ target: 'live', allow })
  const withheld = withholdOnLive(checks, allow, new Date(Date.now() + prober.clockOffsetMs()))
  for (const check of checks) {
    test.concurrent(check.id, { timeout: timeoutMs }, async ({ signal, skip }: TestContext) => {
      const { result } = await runOnTarget(check, target, { withheld: withheld.get(check.id), signal, journal })
      if (result.outcome === 'fail' || result.outcome === 'error') throw new Error(result.message)
      if (result.outcome !== 'pass') skip(result.message)
    })
  }
  afterAll(async () => {
    const { left } = await undoRunner.undoOwn()
    await notes.save()
    await undoRunner.close()
    if (left.length > 0) throw new Error(left.map(({ reason }) => reason).join('; '))
  }, timeoutMs)
}
