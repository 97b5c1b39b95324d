/** Runs the checks as tests of another runner, and writes the reports of all of them. */

import { conclude } from '../memory/conclude.ts'
import { assembleReport } from '../verdict/assemble.ts'
import { openRun, type RunConfig } from './open-run.ts'
import { planOf } from './plan.ts'

/** What to check: a live deployment by default. The reports are in `reports/<runner>` by default. */
export type Deployment = Omit<RunConfig, 'replay' | 'target'> & Partial<Pick<RunConfig, 'target'>>

/** Time limit of a test in ms. It is long, because checks wait for each other and for the rate limit. */
export const timeoutMs = 1_200_000

/**
 * Opens a run whose checks are tests.
 *
 * @returns the tests, and a function that undoes the remaining writes, then writes the reports and the history. It throws an error
 *   if a write could not be undone
 * @throws SetupError with one sentence per problem of the URLs, credentials or fixtures
 */
export async function openTests(runner: string, deployment: Deployment) {
  const config = { target: 'live', out: `reports/${runner}`, ...deployment } as const
  const { out } = config
  const plan = planOf(config)
  const open = await openRun(config, plan, { signal: new AbortController().signal, onNotice: process.emitWarning })
  const tests = open.checks.map((check) => ({
    id: check.id,
    /**
     * @throws Error with the message of a check that fails or ends in an error
     * @returns why the check is skipped; `undefined` if it passes
     */
    async run(signal: AbortSignal): Promise<string | undefined> {
      const { outcome, message = outcome } = (await open.run(check, signal)).result
      if (outcome === 'fail' || outcome === 'error') throw new Error(message)
      return outcome === 'pass' ? undefined : message
    },
  }))
  const close = async () => {
    const facts = await open.close()
    if (out !== undefined) {
      // A filter of the runner may leave out tests.
      const status = facts.runs.length === plan.checks.length ? 'complete' : 'interrupted'
      await conclude(assembleReport({ ...facts, status }), { out, say: process.emitWarning })
    }
    if (facts.leaks.length > 0) throw new Error(`The sweep ${facts.leaks.join('; ')}.`)
  }
  return { tests, close }
}
