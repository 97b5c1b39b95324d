import { type Check, type CheckRun, createPlan, runCheck, sessionOn } from '@cdn/conformance'
import { probes } from '@cdn/conformance/testing'
import { createEmulator } from '@cdn/emulator'
import { applicableMutants } from './all.ts'
import type { ServerMutant } from './mutant.ts'

/** Which checks kill which mutants. */
export interface Matrix {
  readonly mutants: readonly {
    readonly id: string
    readonly text: string
    readonly breaks: readonly string[]
    /** Checks of a broken requirement that fail on the mutant and pass on the conformant server. */
    readonly killedBy: readonly string[]
  }[]
  readonly checks: readonly {
    readonly id: string
    readonly kills: readonly string[]
    /** Why the check need not kill a mutant. */
    readonly exempt?: string
  }[]
}

/**
 * Runs the checks of the broken requirements against each mutant. Other checks do not run: they could fail, too, but a failure
 * would prove nothing about these requirements. A check that does not pass on the conformant server kills nothing.
 *
 * @param mutants by default all applicable mutants
 */
export async function runMatrix(mutants: readonly ServerMutant[] = applicableMutants): Promise<Matrix> {
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

/** Checks that kill no mutant and have no exemption. */
export function idleOf({ checks }: Matrix): Matrix['checks'] {
  return checks.filter(({ kills, exempt }) => kills.length === 0 && exempt === undefined)
}

/**
 * Whether a check verifies a requirement that the mutant breaks, passes on the conformant server, and calls an
 * altered operation.
 */
function canKill(check: Check, right: CheckRun, { breaks, operations }: ServerMutant): boolean {
  return (
    right.result.outcome === 'pass' &&
    check.requirements.some((id) => breaks.includes(id)) &&
    (operations === undefined || operations.some((name) => right.operations.includes(name)))
  )
}

async function runOn(check: Check, mutant?: ServerMutant): Promise<CheckRun> {
  // The variant with error bodies is chosen, because without error bodies the checks of error bodies are skipped.
  const emulator = await createEmulator({ variants: { errorBodies: 'present' } })
  mutant?.apply(emulator)
  return runCheck(check, sessionOn(emulator), { signal })
}

const { signal } = new AbortController()

function exemption(right: CheckRun | undefined): string | undefined {
  const { outcome, message } = right?.result ?? {}
  return outcome === 'skip' ? `skipped on the emulator: ${message ?? 'no reason given'}` : undefined
}
