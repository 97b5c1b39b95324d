import { createEmulator } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import type { CheckRun } from '../../src/exchange/run-types.ts'
import { createPlan } from '../../src/run/plan.ts'
import { type RunCheckOptions, runCheck } from '../../src/run/run-check.ts'
import { sessionOn } from '../../src/run/targets/emulator.ts'
import type { Session } from '../../src/run/targets/target.ts'

const { checks } = createPlan()
const { signal } = new AbortController()

/** Returns the response to a request, or undefined for the emulator's own response. */
export type Fault = (request: Request, emulator: Session) => Response | undefined | Promise<Response | undefined>

/**
 * Runs a check on an emulator with a fault.
 *
 * @param details replaces parts of the session
 */
export async function runWith(
  id: string,
  fault: Fault,
  details: Partial<Session> = {},
  options: Partial<RunCheckOptions> = {},
): Promise<CheckRun> {
  const check = assertDefined(checks.find((candidate) => candidate.id === id))
  const session = { ...sessionOn(await createEmulator()), ...details }
  const send: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    return (await fault(request, session)) ?? session.fetch(request)
  }
  return runCheck(check, { ...session, fetch: send }, { signal, ...options })
}
