/** Runs the checks as tests of a user's vitest project. */
import type { afterAll as AfterAll, test as Test, TestContext } from 'vitest'
import { openRun, type RunConfig } from './open-run.ts'
import { planOf } from './plan.ts'

/** What to check: a live deployment by default. The reports are in `reports/vitest` by default. */
export type Deployment = Omit<RunConfig, 'replay' | 'target'> & Partial<Pick<RunConfig, 'target'>>

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
  const config = { target: 'live', out: 'reports/vitest', ...deployment } as const
  const { signal } = new AbortController()
  const open = await openRun(config, planOf(config), { signal, onNotice: process.emitWarning })
  for (const check of open.checks) {
    test.concurrent(check.id, { timeout: timeoutMs }, async ({ signal, skip }: TestContext) => {
      const { result } = await open.run(check, signal)
      if (result.outcome === 'fail' || result.outcome === 'error') throw new Error(result.message)
      if (result.outcome !== 'pass') skip(result.message)
    })
  }
  afterAll(async () => {
    const left = await open.close()
    if (left.length > 0) throw new Error(left.map(({ reason }) => reason).join('; '))
  }, timeoutMs)
}
