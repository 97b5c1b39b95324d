import { contracts, operations, type Source } from '@cdn/api/contract'

import { exampleCases } from '../cases/input/cases.ts'
import {
  type CheckResult,
  type ConstraintCoverage,
  type ExchangeBreach,
  type FailOn,
  type Observation,
  type Report,
  type RequirementResult,
  reportSchemaId,
} from '../report/model.ts'
import type { Check, CheckedRequirement } from '../run/check.ts'
import type { CheckPlan } from '../run/plan.ts'
import type { CheckRun } from '../run/run-check.ts'
import { type Baseline, compare } from './baseline.ts'
import { type ExpectedFailure, markExpectedFailures, suiteError } from './expectations.ts'
import { decide, isDeferred } from './outcomes.ts'
import { countChecks, resultOf } from './result.ts'

/** Facts about a run, in addition to the results of its checks. */
export interface RunFacts extends Pick<Report, 'startedAt' | 'durationMs' | 'status' | 'seed' | 'target'> {
  readonly plan: CheckPlan
  readonly runs: readonly CheckRun[]
  /** Errors of the suite itself. */
  readonly faults?: readonly string[]
  /** What the sweep could not restore or delete, as sentences. */
  readonly leaks?: readonly string[]
  readonly expectedFailures?: readonly ExpectedFailure[]
  readonly baseline?: Baseline | undefined
  /** What fails a live run besides a contradicted spec. All other targets fail on everything. */
  readonly failOn?: readonly FailOn[] | undefined
  /** Ids of the requirements that must be decided. */
  readonly required?: readonly string[] | undefined
}

/** Assembles the report. */
export function assembleReport(facts: RunFacts): Report {
  const { plan, runs, startedAt, durationMs, status, seed, target, required, faults = [], leaks = [] } = facts
  const runsById = new Map(runs.map((run) => [run.result.id, run]))
  const sorted = plan.checks.flatMap(({ id }) => runsById.get(id) ?? [])
  // The mock invents codes and texts, and its own checks validate each of its responses. So its breaches are not reported.
  const isMock = target.kind === 'mock'
  const breaches = isMock ? [] : sorted.flatMap(({ breaches }) => breaches)
  const ran = [
    ...plan.checks.map((check) => runsById.get(check.id)?.result ?? notRun(check, status)),
    ...(isMock ? [] : exchangeChecks(sorted, breaches)),
    // Every report shows checks, so errors of the suite and leaks become checks.
    ...faults.map((fault, index) => suiteError(`suite/${index + 1}`, `fault of the suite: ${fault}`)),
    ...leaks.map((leak, index) => leakCheck(`sweep/${index + 1}`, `The sweep ${leak}.`)),
  ]
  const isKnown = (id: string) => plan.ids.has(id) || id.startsWith('exchange.')
  const checks = markExpectedFailures(ran, facts.expectedFailures ?? [], isKnown)
  const seen = mergeObservations(sorted.flatMap(({ observations }) => observations))
  const report: Omit<Report, 'exitCode'> = {
    schema: reportSchemaId,
    ...{ startedAt, durationMs, status, seed, target },
    failOn: target.kind === 'live' ? ['spec', ...(facts.failOn ?? [])] : ['spec', 'supplement', 'robustness', 'drift'],
    ...(required && { required }),
    contract: Object.fromEntries(
      Object.values(contracts).map(({ interface: name, openapi }) => [name, openapi.spec.info.version]),
    ),
    summary: countChecks(checks),
    requirements: plan.requirements.map((requirement) => requirementResult(requirement, checks, plan.parts)),
    checks,
    observations: facts.baseline ? compare(seen, facts.baseline) : seen,
    breaches,
    constraints: constraintsOf(plan, runs),
  }
  return { ...report, exitCode: resultOf(report).exitCode }
}

/** Makes a failed check for what a run left on the account. */
function leakCheck(id: string, message: string): CheckResult {
  return { ...suiteError(id, message), source: 'spec', effect: 'write', outcome: 'fail' }
}

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
        const some = cases.get(`${operation.name} ${constraint}`) ?? []
        const broken = some.filter(({ isBroken }) => isBroken).length
        return { operation: operation.name, constraint, broken, met: some.length - broken }
      })
    })
}

/** Returns the result of a check of the plan that did not run: a skip. */
function notRun(check: Check, status: Report['status']): CheckResult {
  const { id, requirements, source, basis, effect } = check
  const message = `not run: the run ${status === 'crashed' ? 'crashed' : 'was interrupted'}`
  return { id, requirements, source, basis, effect, outcome: 'skip', durationMs: 0, requests: 0, message }
}

function requirementResult(
  { id, section, text, source, interface: name, unchecked }: CheckedRequirement,
  checks: readonly CheckResult[],
  allParts: CheckPlan['parts'],
): RequirementResult {
  const results = checks.filter(({ requirements }) => requirements.includes(id))
  const parts = allParts.get(id) ?? []
  const decided = results.filter(({ outcome }) => outcome === 'pass' || outcome === 'fail')
  const ofParts = parts.length === 0 ? [results] : parts.map((part) => results.filter((check) => check.part === part))
  const isOfSpec = ofParts.every((some) => some.some(({ basis }) => basis === 'spec'))
  // An id that names no operation belongs to the whole interface.
  const operation = operations.find((one) => one.interface === name && one.name === id.split('.')[1])
  return {
    ...{ id, section, text, source, area: operation?.area ?? contracts[name].title },
    ...(results.length > 0 && { basis: isOfSpec ? 'spec' : 'supplement' }),
    ...decide(results, parts),
    ...(isDeferred(results, parts) && { deferred: true as const }),
    checks: results.map((check) => check.id),
    cases: decided.reduce((sum, { cases = 1 }) => sum + cases, 0),
    ...(unchecked !== undefined && { unchecked }),
  }
}

/**
 * Makes one check for each requested operation and each layer that describes it. The check passes if all exchanges of
 * the operation conform to that layer.
 */
function exchangeChecks(runs: readonly CheckRun[], breaches: readonly ExchangeBreach[]): CheckResult[] {
  const called = new Set(runs.flatMap((run) => run.operations))
  return operations
    .filter((operation) => called.has(operation.name))
    .flatMap((operation) => {
      const id = `exchange.${operation.name}`
      // A failed check of the same requirement reports the same mistake, which counts once.
      const reported = (breach: ExchangeBreach) =>
        runs.find(
          ({ result }) =>
            result.outcome === 'fail' && breach.requirements.some((broken) => result.requirements.includes(broken)),
        )?.result
      const sources: readonly Source[] = operation.spec ? ['spec', 'supplement'] : ['supplement']
      return sources.map((source): CheckResult => {
        const own = breaches.filter((breach) => breach.id === id && breach.source === source)
        const matching = own.filter((breach) => !reported(breach))
        const [first] = matching
        const facts = {
          // An operation of the spec is validated against two layers.
          id: operation.spec && source === 'supplement' ? `${id}/supplement` : id,
          // An exchange may break requirements that no check can test on purpose.
          requirements: [...new Set(matching.flatMap(({ requirements }) => requirements))],
          ...{ source, basis: source, effect: operation.effect, durationMs: 0, requests: 0 },
        }
        if (first) {
          const message = `${first.message} (${matching.length} such responses, first in ${first.check})`
          return { ...facts, outcome: 'fail', message }
        }
        if (own.length === 0) return { ...facts, outcome: 'pass' }
        const checks = [...new Set(own.map((breach) => reported(breach)?.id))]
        return { ...facts, outcome: 'skip', message: `reported by ${checks.join(', ')}` }
      })
    })
}

/** Merges observations into one entry per id. If an id has different values, they become a list. */
function mergeObservations(seen: readonly Observation[]): Observation[] {
  return [...Map.groupBy(seen, ({ id }) => id)].map(([id, group]) => {
    const values = [...new Map(group.map(({ value }) => [JSON.stringify(value), value])).values()]
    return { id, value: values.length === 1 ? values[0] : values, drift: false }
  })
}
