import { createEmulator } from '@cdn/emulator'
import type { Check } from '../check.ts'
import { sessionOn } from '../in-process.ts'
import { createPlan } from '../plan.ts'
import { probes } from '../probes/probes.ts'
import { type CheckRun, runCheck } from '../run-check.ts'
import { applicableMutants } from './all.ts'
import type { Mutant } from './mutant.ts'

/** Which checks kill which mutants (design §9). */
export interface Matrix {
  readonly mutants: readonly {
    readonly id: string
    readonly text: string
    readonly breaks: readonly string[]
    /** Checks of a broken requirement that fail, and pass on the right server. */
    readonly killedBy: readonly string[]
  }[]
  readonly checks: readonly {
    readonly id: string
    readonly kills: readonly string[]
    /** Why it need not kill any. */
    readonly exempt?: string
  }[]
}

/**
 * Holds each mutant against the checks of the requirements that it breaks. Other checks may fail on it too, but they
 * prove nothing about these requirements, so they are not run. A check that does not pass on the right server kills
 * nothing.
 *
 * @param mutants all that can be applied where absent
 */
export async function runMatrix(mutants: readonly Mutant[] = applicableMutants): Promise<Matrix> {
  const { checks } = createPlan()
  const onRight = new Map<Check, CheckRun>()
  for (const check of checks) onRight.set(check, await runOn(check))

  const rows: Matrix['mutants'][number][] = []
  for (const mutant of mutants) {
    const killedBy: string[] = []
    for (const [check, right] of onRight) {
      if (!canKill(check, right, mutant)) continue
      if ((await runOn(check, mutant)).result.outcome === 'fail') killedBy.push(check.id)
    }
    rows.push({ id: mutant.id, text: mutant.text, breaks: mutant.breaks, killedBy })
  }
  const judged = checks.map((check) => {
    const exempt = exemption(onRight.get(check))
    const kills = rows.filter(({ killedBy }) => killedBy.includes(check.id)).map(({ id }) => id)
    return { id: check.id, kills, ...(exempt !== undefined && { exempt }) }
  })
  const looking = probes.map(({ id }) => ({ id, kills: [], exempt: 'a probe never fails by itself' }))
  return { mutants: rows, checks: [...judged, ...looking] }
}

/** Mutants that no check kills. */
export function survivorsOf({ mutants }: Matrix): Matrix['mutants'] {
  return mutants.filter(({ killedBy }) => killedBy.length === 0)
}

/** Checks that kill no mutant and have no reason not to. */
export function idleOf({ checks }: Matrix): Matrix['checks'] {
  return checks.filter(({ kills, exempt }) => kills.length === 0 && exempt === undefined)
}

/** Whether a check looks at what the mutant breaks, passes on the right server, and calls an operation that is altered. */
function canKill(check: Check, right: CheckRun, { breaks, operations }: Mutant): boolean {
  return (
    right.result.outcome === 'pass' &&
    check.requirements.some((id) => breaks.includes(id)) &&
    (operations === undefined || operations.some((name) => right.operations.includes(name)))
  )
}

async function runOn(check: Check, mutant?: Mutant): Promise<CheckRun> {
  const emulator = await createEmulator()
  mutant?.apply(emulator)
  return runCheck(check, sessionOn(emulator), { signal })
}

const { signal } = new AbortController()

function exemption(right: CheckRun | undefined): string | undefined {
  const { outcome, message } = right?.result ?? {}
  return outcome === 'skip' ? `skipped on the emulator: ${message ?? 'no reason given'}` : undefined
}
