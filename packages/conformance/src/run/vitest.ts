/** Runs the checks as tests of a user's vitest project: versions 3 to 5. */

import type { Report } from '../exchange/report-model.ts'
import type { RunConfig } from '../exchange/run-types.ts'
import { conclude } from '../memory/conclude.ts'
import { assembleReport, notStartedReport } from '../verdict/assemble-report.ts'
import { openRun } from './open-run.ts'
import { createRunPlan } from './plan.ts'

/** Settings of a run. By default, the target is a live deployment, and the reports are in `reports/vitest`. */
export type Deployment = Omit<RunConfig, 'replay' | 'target'> & Partial<Pick<RunConfig, 'target'>>

/** The functions of the caller's copy of vitest. */
export interface VitestApi {
  readonly test: {
    readonly concurrent: (
      name: string,
      options: { readonly timeout: number },
      run: (context: { readonly signal: AbortSignal; readonly skip: (reason?: string) => never }) => Promise<void>,
    ) => void
  }
  readonly afterAll: (close: () => Promise<void>, timeoutMs: number) => void
}

/** Time limit of a test in ms. It is long, because checks wait for each other and for the rate limit. */
const timeoutMs = 1_200_000

/**
 * Registers one test per check. Await this function at the top of a test file. A skipped check becomes a skipped test
 * with the reason. The sweep, the reports and the memory are those of the command line.
 *
 * @throws SetupError with one sentence per problem of the URLs, credentials or fixtures; SuiteConfigurationError for an invalid file
 */
export async function registerChecks({ test, afterAll }: VitestApi, deployment: Deployment): Promise<void> {
  const config = { target: 'live', out: 'reports/vitest', ...deployment } as const
  const { out } = config
  const plan = createRunPlan(config)
  const startedAt = new Date()
  const leaveTraces = async (report: Report) => {
    if (out !== undefined) await conclude(report, { out, say: process.emitWarning })
  }
  const options = { signal: new AbortController().signal, onNotice: process.emitWarning }
  const open = await openRun(config, plan, options).catch(async (error: unknown) => {
    await leaveTraces(notStartedReport(config, plan, startedAt, error))
    throw error
  })
  // Only a test that runs may write: vitest also loads the file to list its tests.
  let begun: Promise<void> | undefined
  for (const check of open.checks)
    test.concurrent(check.id, { timeout: timeoutMs }, async ({ signal, skip }) => {
      begun ??= open.begin(timeoutMs)
      await begun
      const { outcome, message = outcome } = (await open.run(check, signal)).result
      if (outcome === 'fail' || outcome === 'error') throw new Error(message)
      if (outcome !== 'pass') skip(message)
    })
  afterAll(async () => {
    const facts = await open.close()
    // A filter of vitest may leave out tests.
    const status = facts.runs.length === plan.checks.length ? 'complete' : 'interrupted'
    await leaveTraces(
      await Promise.resolve(begun).then(
        () => assembleReport({ ...facts, status }),
        (error: unknown) => notStartedReport(config, plan, startedAt, error),
      ),
    )
    if (facts.leaks.length > 0) throw new Error(`The sweep ${facts.leaks.join('; ')}.`)
  }, timeoutMs)
}
