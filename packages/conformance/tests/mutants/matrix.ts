/**
 * Runs the checks on servers with a mistake. Finds the checks that kill each server, its causes, and requirements wrongly called broken.
 */
import { createEmulator } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { pointChecks } from '../../src/cases/unspecified/points.ts'
import {
  assembleReport,
  type Check,
  type CheckRun,
  createPlan,
  type Report,
  runCheck,
  sessionOn,
} from '../../src/index.ts'
import { causeTitle } from '../../src/report/cause-text.ts'
import type { Session } from '../../src/run/targets/target.ts'
import { applicableMutants } from './all-mutants.ts'
import type { ServerUnderTest } from './mutant.ts'

/** The results of the checks on one server. */
export interface Row {
  readonly id: string
  readonly breaks: readonly string[]
  /** Checks of a broken requirement that fail on the server and pass on the conformant one. */
  readonly killedBy: readonly string[]
  /** The requirements that a failed check, or a rule about an exchange, calls broken. */
  readonly noticed: readonly string[]
  /** Causes of a run; absent with `enough`, because then not all checks run. */
  readonly verdict?: Verdict
}

interface Verdict {
  readonly causes: readonly string[]
  /** The requirements that are called broken although the server does not break them. */
  readonly untrue: readonly string[]
}

export interface Matrix {
  readonly mutants: readonly Row[]
  readonly checks: readonly {
    readonly id: string
    readonly kills: readonly string[]
    /** Why the check need not kill a mutant. */
    readonly exempt?: string
  }[]
}

interface MatrixOptions {
  /**
   * Runs only checks of a broken requirement. Leaves out a check that has killed an earlier server, if other checks have already killed
   * this server for the same requirements. By default, all checks run that call an altered operation.
   */
  readonly enough?: boolean
  readonly checks?: readonly Check[]
  /** Called after each server. The report is absent with `enough`. */
  readonly onRow?: (row: Row, report?: Report) => void
}

const plan = createPlan()
const { signal } = new AbortController()

/**
 * Runs the checks against each server. A check that does not pass on the conformant server kills nothing.
 *
 * @param servers by default all applicable mutants
 */
export async function runMatrix(
  servers: readonly ServerUnderTest[] = applicableMutants,
  { enough = false, checks = plan.checks, onRow }: MatrixOptions = {},
): Promise<Matrix> {
  const onRight = new Map<Check, CheckRun>()
  for (const check of checks) onRight.set(check, await runOn(check))
  const rows: Row[] = []
  const able = new Set<string>()
  for (const server of servers) {
    const runs = await runsOn(server, onRight, enough ? able : undefined)
    const killing = runs.filter((run) => kills(run, server)).map(({ result }) => result.id)
    for (const id of killing) able.add(id)
    const report = enough ? undefined : reportOf(runs)
    const row = {
      ...{ id: server.id, breaks: server.breaks, killedBy: killing, noticed: [...new Set(runs.flatMap(shownBy))] },
      ...(report && { verdict: verdictOf(server, report) }),
    }
    onRow?.(row, report)
    rows.push(row)
  }
  const judged = checks.map((check) => {
    const exempt = exemption(assertDefined(onRight.get(check)))
    const killed = rows.filter(({ killedBy }) => killedBy.includes(check.id)).map(({ id }) => id)
    return { id: check.id, kills: killed, ...(exempt !== undefined && { exempt }) }
  })
  const looking = pointChecks.map(({ id }) => ({ id, kills: [], exempt: 'a point never fails by itself' }))
  return { mutants: rows, checks: [...judged, ...looking] }
}

/** @param able with `enough`: ids of the checks that have killed an earlier server */
async function runsOn(
  server: ServerUnderTest,
  onRight: ReadonlyMap<Check, CheckRun>,
  able?: ReadonlySet<string>,
): Promise<CheckRun[]> {
  const decided = new Set<string>()
  const isOpen = (check: Check) =>
    breaksOneOf(server, check) &&
    (!able?.has(check.id) || check.requirements.some((one) => server.breaks.includes(one) && !decided.has(one)))
  // Share values only with `enough`. Otherwise, a mistake that remembers requests must see the requests of every check.
  const shared = able ? new Map() : undefined
  const runs: CheckRun[] = []
  for (const [check, right] of onRight) {
    if (!isConcerned(right, server) || (able && !isOpen(check))) continue
    const run = await runOn(check, server, shared)
    runs.push(run)
    if (kills(run, server)) for (const one of check.requirements) decided.add(one)
  }
  return runs
}

async function runOn(check: Check, server?: ServerUnderTest, shared: Session['shared'] = new Map()): Promise<CheckRun> {
  // By default, the emulator sends neither error bodies nor Retry-After, so the checks of both would be skipped.
  const emulator = await createEmulator({ variants: { errorBodies: 'present', retryAfter: 'present' } })
  server?.apply(emulator)
  return runCheck(check, { ...sessionOn(emulator), shared }, { signal })
}

/** Whether a check passes on the conformant server and calls an altered operation. */
function isConcerned({ result, operations }: CheckRun, { operations: altered }: ServerUnderTest): boolean {
  return result.outcome === 'pass' && (altered?.some((name) => operations.includes(name)) ?? true)
}

function breaksOneOf({ breaks }: ServerUnderTest, { requirements }: Pick<Check, 'requirements'>): boolean {
  return requirements.some((id) => breaks.includes(id))
}

function kills({ result }: CheckRun, server: ServerUnderTest): boolean {
  return result.outcome === 'fail' && breaksOneOf(server, result)
}

function shownBy({ result, breaches }: CheckRun): string[] {
  return [result.outcome === 'fail' ? result.requirements : [], ...breaches.map((one) => one.requirements)].flat()
}

function reportOf(runs: readonly CheckRun[]): Report {
  const facts = { startedAt: '2026-01-01T00:00:00Z', durationMs: 1, status: 'complete', seed: 1 } as const
  return assembleReport({ plan, runs, ...facts, target: { kind: 'emulator' } })
}

function verdictOf({ breaks }: ServerUnderTest, { causes }: Report): Verdict {
  const broken = new Set(causes.flatMap(({ requirements }) => requirements))
  return {
    causes: causes.map(causeTitle),
    untrue: [...broken].filter((one) => !breaks.includes(one)),
  }
}

/** Returns the servers that no check kills. */
export function survivorsOf({ mutants }: Pick<Matrix, 'mutants'>): Matrix['mutants'] {
  return mutants.filter(({ killedBy }) => killedBy.length === 0)
}

/** Returns the checks that kill no server and have no exemption. */
export function idleOf({ checks }: Matrix): Matrix['checks'] {
  return checks.filter(({ kills, exempt }) => kills.length === 0 && exempt === undefined)
}

function exemption({ result: { outcome, message } }: CheckRun): string | undefined {
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
  ].join('\n')
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `  (${reason})`
}

/** Maximum number of causes that a run may report for one mistake. */
const maxCauses = 2

/** Returns one line about a server with too many causes or an untrue accusation; undefined for any other server. */
export function rowProblem({ id, verdict }: Row): string | undefined {
  if (!verdict || (verdict.causes.length <= maxCauses && verdict.untrue.length === 0)) return undefined
  const { causes, untrue } = verdict
  return `${id}: ${causes.length} causes: ${causes.join('; ')}; untrue: ${untrue.join(', ') || 'none'}`
}

/** Counts servers by their causes, such as `3 with 1 cause, 1 with 2 causes, 0 accused of what they do not break`. */
export function verdictCounts(rows: readonly Row[]): string {
  const all = rows.flatMap(({ verdict }) => verdict ?? [])
  const counts = [...Map.groupBy(all, ({ causes }) => causes.length)].toSorted(([one], [other]) => one - other)
  const accused = all.filter(({ untrue }) => untrue.length > 0).length
  return [
    ...counts.map(([count, same]) => `${same.length} with ${count} cause${count === 1 ? '' : 's'}`),
    `${accused} accused of what they do not break`,
  ].join(', ')
}
