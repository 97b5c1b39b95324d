import { createEmulator } from '@cdn/emulator'
import { pointChecks } from '../../src/cases/unspecified/points.ts'
import { type Check, type CheckRun, createPlan, runCheck, sessionOn } from '../../src/index.ts'
import type { Session } from '../../src/run/targets/target.ts'
import { applicableMutants } from './all.ts'
import type { ServerUnderTest } from './mutant.ts'

/** Which checks kill which mutants. */
export interface Matrix {
  readonly mutants: readonly {
    readonly id: string
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
 * @param options `enough` runs no check whose result decides nothing: it killed another mutant before, and another check has already
 *   killed this one for the same requirements
 */
export async function runMatrix(
  mutants: readonly ServerUnderTest[] = applicableMutants,
  { enough = false, checks = createPlan().checks } = {},
): Promise<Matrix> {
  const onRight = new Map<Check, CheckRun>()
  for (const check of checks) onRight.set(check, await runOn(check))

  const rows: Matrix['mutants'][number][] = []
  const able = new Set<Check>()
  for (const mutant of mutants) {
    const killedBy: string[] = []
    const noticed = new Set<string>()
    // As in a run on the emulator, the checks of one server share what they request.
    const shared: Session['shared'] = new Map()
    for (const [check, right] of onRight) {
      if (!canKill(check, right, mutant)) continue
      const open = check.requirements.filter((id) => mutant.breaks.includes(id) && !noticed.has(id))
      if (enough && open.length === 0 && able.has(check)) continue
      if ((await runOn(check, mutant, shared)).result.outcome !== 'fail') continue
      killedBy.push(check.id)
      able.add(check)
      for (const id of check.requirements) noticed.add(id)
    }
    rows.push({ id: mutant.id, breaks: mutant.breaks, killedBy })
  }
  const judged = checks.map((check) => {
    const exempt = exemption(onRight.get(check))
    const kills = rows.filter(({ killedBy }) => killedBy.includes(check.id)).map(({ id }) => id)
    return { id: check.id, kills, ...(exempt !== undefined && { exempt }) }
  })
  const looking = pointChecks.map(({ id }) => ({ id, kills: [], exempt: 'a point never fails by itself' }))
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
function canKill(check: Check, right: CheckRun, { breaks, operations }: ServerUnderTest): boolean {
  return (
    right.result.outcome === 'pass' &&
    check.requirements.some((id) => breaks.includes(id)) &&
    (operations === undefined || operations.some((name) => right.operations.includes(name)))
  )
}

async function runOn(check: Check, mutant?: ServerUnderTest, shared: Session['shared'] = new Map()): Promise<CheckRun> {
  // Without error bodies, and without Retry-After, the checks of both are skipped.
  const emulator = await createEmulator({ variants: { errorBodies: 'present', retryAfter: 'present' } })
  mutant?.apply(emulator)
  return runCheck(check, { ...sessionOn(emulator), shared }, { signal })
}

const { signal } = new AbortController()

function exemption(right: CheckRun | undefined): string | undefined {
  const { outcome, message } = right?.result ?? {}
  return outcome === 'skip' ? `skipped on the emulator: ${message ?? 'no reason given'}` : undefined
}

/** Returns the matrix as text: one line per mutant and per check, then survivors and idle checks, then the figures. */
export function matrixText(matrix: Matrix): string {
  const { mutants, checks } = matrix
  const survivors = survivorsOf(matrix)
  const idle = idleOf(matrix)
  const exempt = checks.filter((check) => check.exempt !== undefined)
  return [
    'Mutants and the checks that kill them',
    ...mutants.map(({ id, killedBy }) => `  ${id}\n      ${killedBy.join(', ') || 'SURVIVES'}`),
    'Checks and how many mutants they kill',
    ...checks.map(({ id, kills, exempt: reason }) => `  ${String(kills.length).padStart(4)}  ${id}${because(reason)}`),
    ...survivors.map(({ id, breaks }) => `Survivor: ${id}, which breaks ${breaks.join(', ')}`),
    ...idle.map(({ id }) => `Idle: ${id}`),
    `${mutants.length} mutants, ${survivors.length} survive; ${checks.length} checks, ${idle.length} idle, ${exempt.length} exempt`,
    '',
  ].join('\n')
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `  (${reason})`
}
