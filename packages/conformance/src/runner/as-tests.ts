/** Runs the checks as tests of another runner, and writes the reports of all of them. */
import { assembleReport } from '../report/assemble.ts'
import type { CheckResult } from '../report/model.ts'
import { writeReports } from '../report/write.ts'
import { openRun, type RunConfig } from './open-run.ts'
import { planOf } from './plan.ts'
import type { CheckRun } from './run-check.ts'
import { casesFolder, storeCases } from './stored-cases.ts'
import type { Undone } from './undo/undo-runner.ts'

/** What to check: a live deployment by default. The reports are in `reports/<runner>` by default. */
export type Deployment = Omit<RunConfig, 'replay' | 'target'> & Partial<Pick<RunConfig, 'target'>>

/** Time limit of a test in ms. It is long, because checks wait for each other and for the rate limit. */
export const timeoutMs = 1_200_000

/** A check as a test. */
export interface CheckTest {
  readonly id: string
  /**
   * @throws Error with the message of a check that fails or ends in an error
   * @returns why the check is skipped; `undefined` if it passes
   */
  run(signal: AbortSignal): Promise<string | undefined>
}

/**
 * Opens a run whose checks are tests.
 *
 * @returns the tests, and a function that undoes the remaining writes, then writes the reports and the history. It throws an error
 *   if a write could not be undone
 * @throws SetupError with one sentence per problem of the URLs, credentials or fixtures
 */
export async function openTests(
  runner: string,
  deployment: Deployment,
): Promise<{ readonly tests: readonly CheckTest[]; readonly close: () => Promise<void> }> {
  const config = { target: 'live', out: `reports/${runner}`, ...deployment } as const
  const { target: kind, managementUrl, loggingUrl, out } = config
  const startedAt = new Date()
  const plan = planOf(config)
  const { signal } = new AbortController()
  const open = await openRun(config, plan, { signal, onNotice: process.emitWarning })
  const runs: CheckRun[] = []
  const tests = open.checks.map(
    (check): CheckTest => ({
      id: check.id,
      async run(signal) {
        const run = await open.run(check, signal)
        runs.push(run)
        return skipReason(run.result)
      },
    }),
  )
  const write = async (folder: string, left: Undone['left']) => {
    const report = assembleReport({
      ...{ plan, runs, left, seed: open.seed, latency: open.latency?.(), startedAt: startedAt.toISOString() },
      durationMs: Date.now() - startedAt.getTime(),
      // A filter of the runner may leave out tests.
      status: runs.length === plan.checks.length ? 'complete' : 'interrupted',
      target: { kind, ...(managementUrl && loggingUrl && { managementUrl, loggingUrl }) },
    })
    await writeReports(report, folder)
    await storeCases(casesFolder(folder), report)
  }
  const close = async () => {
    const left = await open.close()
    if (out !== undefined) await write(out, left)
    if (left.length > 0) throw new Error(left.map(({ reason }) => reason).join('; '))
  }
  return { tests, close }
}

function skipReason({ outcome, message = outcome }: CheckResult): string | undefined {
  if (outcome === 'fail' || outcome === 'error') throw new Error(message)
  return outcome === 'pass' ? undefined : message
}
