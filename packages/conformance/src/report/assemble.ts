import { contracts, type Operation, operations, type Source } from '@cdn/api/contract'
import { exampleCases } from '../checks/input/cases.ts'
import { labelOf } from '../checks/resources.ts'
import type { Check, CheckedRequirement } from '../core/check.ts'
import { type Baseline, compare } from '../expectations/baseline.ts'
import { applyKnownFailures, type KnownFailure, suiteError } from '../expectations/known-failing.ts'
import type { CheckPlan } from '../runner/plan.ts'
import type { CheckRun } from '../runner/run-check.ts'
import type { Undone } from '../runner/undo/undo-runner.ts'
import { decide } from './decide.ts'
import { reportSchemaId } from './json.ts'
import type {
  CheckResult,
  ConstraintCoverage,
  ExchangeBreach,
  FailOn,
  Observation,
  Outcome,
  Report,
  RequirementResult,
} from './model.ts'
import { countChecks, isUnexpected } from './summarize.ts'
import { isUndecided } from './undecided.ts'

/** Facts about a run, in addition to the results of its checks. */
export interface RunFacts extends Pick<Report, 'startedAt' | 'durationMs' | 'status' | 'seed' | 'target'> {
  readonly plan: CheckPlan
  readonly runs: readonly CheckRun[]
  /** Errors of the suite itself. */
  readonly faults?: readonly string[]
  /** Writes that could not be undone. */
  readonly left?: Undone['left']
  readonly knownFailing?: readonly KnownFailure[]
  readonly baseline?: Baseline | undefined
  /** What fails a live run besides a contradicted spec. All other targets fail on everything. */
  readonly failOn?: readonly FailOn[]
  /** Ids of the requirements that must be decided. */
  readonly required?: readonly string[]
}

/** Assembles the report. */
export function assembleReport({ plan, runs, failOn: others = [], ...facts }: RunFacts): Report {
  const failOn = facts.target.kind === 'live' ? (['spec', ...others] as const) : everything
  const runsById = new Map(runs.map((run) => [run.result.id, run]))
  const sorted = plan.checks.flatMap(({ id }) => runsById.get(id) ?? [])
  // The mock invents codes and texts, and its own checks validate each of its answers. So its breaches are not reported.
  const isMock = facts.target.kind === 'mock'
  const breaches = isMock ? [] : sorted.flatMap(({ breaches }) => breaches)
  const ran = [
    ...plan.checks.map((check) => resultOf(check, runsById.get(check.id), facts.status)),
    ...(isMock ? [] : exchangeChecks(sorted, breaches)),
    ...leftBehind(facts),
  ]
  const isKnown = (id: string) => plan.ids.has(id) || id.startsWith('exchange.')
  const checks = applyKnownFailures(ran, facts.knownFailing ?? [], isKnown)
  const summary = countChecks(checks)
  const seen = mergeObservations(sorted.flatMap(({ observations }) => observations))
  const observations = facts.baseline ? compare(seen, facts.baseline) : seen
  const requirements = plan.requirements.map((requirement) => requirementResult(requirement, checks, plan.parts))
  return {
    schema: reportSchemaId,
    startedAt: facts.startedAt,
    durationMs: facts.durationMs,
    status: facts.status,
    exitCode: exitCodeOf({ ...facts, failOn }, checks, observations, requirements),
    failOn,
    seed: facts.seed,
    ...(facts.required && { required: facts.required }),
    target: facts.target,
    contract: Object.fromEntries(
      Object.values(contracts).map(({ interface: name, openapi }) => [name, openapi.document.info.version]),
    ),
    summary,
    requirements,
    checks,
    observations,
    breaches,
    constraints: constraintsOf(plan, runs),
  }
}

/** What can fail a run. */
const everything: readonly FailOn[] = ['spec', 'supplement', 'robustness', 'drift']

/** Counts the cases of each constraint, for each operation that a check sends. */
function constraintsOf({ checks }: CheckPlan, runs: readonly CheckRun[]): ConstraintCoverage[] {
  const cases = Map.groupBy(
    runs.flatMap(({ constraints = [] }) => constraints),
    ({ operation, constraint }) => `${operation} ${constraint}`,
  )
  return operations
    .filter((operation) => checks.some(({ id }) => id === `${operation.interface}.${operation.name}.robustness`))
    .flatMap((operation) => {
      const all = new Set(exampleCases(operation).flatMap(({ constraint }) => constraint ?? []))
      return [...all].map((constraint) => {
        const some = cases.get(`${labelOf(operation)} ${constraint}`) ?? []
        const broken = some.filter(({ isBroken }) => isBroken).length
        return { operation: labelOf(operation), constraint, broken, met: some.length - broken }
      })
    })
}

/**
 * Returns the exit code: 130 if the run was interrupted, 2 if it crashed. Otherwise 1 if a check of a source in `failOn`
 * failed unexpectedly, or if drift fails the run. Otherwise 2 if a check ended in an error, or if nothing ran. Otherwise 1 if a required
 * requirement is undecided. Otherwise 0.
 */
function exitCodeOf(
  { status, failOn, required = [] }: Pick<RunFacts, 'status' | 'required'> & Pick<Report, 'failOn'>,
  checks: readonly CheckResult[],
  observations: readonly Observation[],
  requirements: readonly RequirementResult[],
): number {
  if (status !== 'complete') return status === 'interrupted' ? 130 : 2
  const isFailed = checks.some((check) => isUnexpected(check) && failOn.includes(check.source))
  if (isFailed || (failOn.includes('drift') && observations.some(({ drift }) => drift))) return 1
  const { passed, failed, errors } = countChecks(checks)
  const isMissing = requirements.some((requirement) => required.includes(requirement.id) && isUndecided(requirement))
  if (isMissing && errors === 0) return 1
  return errors > 0 || passed + failed === 0 ? 2 : 0
}

/** Returns the result of a check of the plan. A check that did not run is a skip. */
function resultOf(check: Check, run: CheckRun | undefined, status: Report['status']): CheckResult {
  if (run) return run.result
  const { id, requirements, source, basis, effect } = check
  const message = `not run: the run ${status === 'crashed' ? 'crashed' : 'was interrupted'}`
  return { id, requirements, source, basis, effect, outcome: 'skip', durationMs: 0, requests: 0, message }
}

/** Turns errors of the suite and remaining writes into additional checks in error, so that every report shows them. */
function leftBehind({ faults = [], left = [] }: Pick<RunFacts, 'faults' | 'left'>): CheckResult[] {
  return [
    ...faults.map((fault, index) => suiteError(`suite/${index + 1}`, `fault of the suite: ${fault}`)),
    ...left.map(({ pending, reason }, index) =>
      suiteError(`undo/${index + 1}`, `${reason} (written by ${pending.check})`),
    ),
  ]
}

function requirementResult(
  requirement: CheckedRequirement,
  checks: readonly CheckResult[],
  allParts: CheckPlan['parts'],
): RequirementResult {
  const results = checks.filter(({ requirements }) => requirements.includes(requirement.id))
  const parts = allParts.get(requirement.id) ?? []
  const { outcome, reason } = decide(results, parts)
  return {
    id: requirement.id,
    section: requirement.section,
    text: requirement.text,
    source: requirement.source,
    area: areaOf(requirement),
    ...(results.length > 0 && { basis: basisOf(results, parts) }),
    ...(outcome && { outcome }),
    ...(outcome && reason !== undefined && { reason }),
    checks: results.map(({ id }) => id),
    cases: results.reduce((sum, { outcome, cases = 1 }) => sum + (isDecided(outcome) ? cases : 0), 0),
    ...(requirement.unchecked !== undefined && { unchecked: requirement.unchecked }),
  }
}

function isDecided(outcome: Outcome): boolean {
  return outcome === 'pass' || outcome === 'fail'
}

/** Returns `spec` if each part has a check with the basis `spec`, otherwise `supplement`. */
function basisOf(checks: readonly CheckResult[], parts: readonly string[]): Source {
  const isEnough = (results: readonly CheckResult[]) => results.some(({ basis }) => basis === 'spec')
  const groups = parts.length === 0 ? [checks] : parts.map((part) => checks.filter((check) => check.part === part))
  return groups.every(isEnough) ? 'spec' : 'supplement'
}

/** Returns the area of the operation in the requirement's id. If the id names none, returns the title of the interface. */
function areaOf({ id, interface: name }: CheckedRequirement): string {
  const [, topic] = id.split('.')
  return (
    operations.find((operation) => operation.interface === name && operation.name === topic)?.area ??
    contracts[name].title
  )
}

/**
 * Makes one check for each requested operation and each layer that describes it. The check passes if all exchanges of
 * the operation conform to that layer.
 */
function exchangeChecks(runs: readonly CheckRun[], breaches: readonly ExchangeBreach[]): CheckResult[] {
  const called = new Set(runs.flatMap((run) => run.operations))
  return operations
    .filter((operation) => called.has(labelOf(operation)))
    .flatMap((operation) => sourcesOf(operation).map((source) => exchangeCheck(operation, source, breaches, runs)))
}

function sourcesOf(operation: Operation): Source[] {
  return operation.documented ? ['spec', 'supplement'] : ['supplement']
}

function exchangeCheck(
  operation: Operation,
  source: Source,
  breaches: readonly ExchangeBreach[],
  runs: readonly CheckRun[],
): CheckResult {
  const id = `exchange.${labelOf(operation)}`
  const all = breaches.filter((breach) => breach.id === id && breach.source === source)
  // A failed check of the body's shape reports the same mistake, which counts once.
  const bodyCheck = `${operation.interface}.${operation.name}.body`
  const reported = runs.find(({ result }) => result.id === bodyCheck && result.outcome === 'fail')?.result
  const matching = all.filter(({ message }) => message !== reported?.evidence?.seen)
  const [first] = matching
  return {
    // An operation of the spec is validated against two layers.
    id: operation.documented && source === 'supplement' ? `${id}/supplement` : id,
    // An exchange may break requirements that no check can test on purpose.
    requirements: [...new Set(matching.flatMap(({ requirements }) => requirements))],
    source,
    basis: source,
    effect: operation.effect,
    outcome: first ? 'fail' : all.length > 0 ? 'skip' : 'pass',
    durationMs: 0,
    requests: 0,
    ...(first && { message: `${first.message} (${matching.length} such answers, first in ${first.check})` }),
    ...(!first && all.length > 0 && { message: `${bodyCheck} reports what breaks the contract here` }),
  }
}

/** Merges observations into one entry per id. If an id has different values, they become a list. */
function mergeObservations(seen: readonly Observation[]): Observation[] {
  return [...Map.groupBy(seen, ({ id }) => id)].map(([id, group]) => {
    const values = [...new Map(group.map(({ value }) => [JSON.stringify(value), value])).values()]
    return { id, value: values.length === 1 ? values[0] : values, drift: false }
  })
}
