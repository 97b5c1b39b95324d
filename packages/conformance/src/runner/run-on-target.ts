import type { Check } from '../core/check.ts'
import { type CheckRun, type RunCheckOptions, runCheck } from '../core/run-check.ts'
import type { CheckTarget } from '../targets/target.ts'

/**
 * Runs one check in its own session. Errors of the check become outcomes. All checks of a run can start at once, because
 * a live target delays checks that need a resource alone.
 */
export async function runOnTarget(check: Check, target: CheckTarget, options: RunCheckOptions): Promise<CheckRun> {
  // A withheld check sends nothing, so it need not wait for resources.
  const session = await target.open(options.withheld ? { effect: 'read', needs: [] } : check, options.signal)
  try {
    return await runCheck(check, session, options)
  } finally {
    await session.close()
  }
}
