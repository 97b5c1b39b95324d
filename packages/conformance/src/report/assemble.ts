import { contracts, type Ground, type Operation, operations, type Requirement } from '@cdn/api/contract'
import { type Baseline, compare } from '../baseline/baseline.ts'
import type { Check } from '../check.ts'
import type { KnownFailure } from '../known-failing/list.ts'
import { applyRatchet } from '../known-failing/ratchet.ts'
import { createPlan, type Plan } from '../plan.ts'
import type { CheckRun } from '../run-check.ts'
import type { Undone } from '../undo/keeper.ts'
import { reportSchemaId } from './json.ts'
import type { CheckResult, Observation, Report, RequirementResult, WireBreach } from './model.ts'
import { countChecks, rollUp } from './summarize.ts'

/** What is known about a run beside its checks. */
export interface RunFacts extends Pick<Report, 'startedAt' | 'durationMs' | 'status' | 'target'> {
  readonly plan: Plan
  readonly runs: readonly CheckRun[]
  /** Faults of the suite itself. */
  readonly faults?: readonly string[]
  /** Writes that could not be taken back. */
  readonly left?: Undone['left']
  readonly knownFailing?: readonly KnownFailure[]
  readonly baseline?: Baseline | undefined
  /** Whether a change against the baseline makes the run fail. */
  readonly failOnDrift?: boolean
}

/** Puts the one result model together. */
export function assembleReport({ plan, runs, ...facts }: RunFacts): Report {
  const order = new Map(plan.checks.map(({ id }, index) => [id, index]))
  const sorted = runs.toSorted((a, b) => (order.get(a.result.id) ?? 0) - (order.get(b.result.id) ?? 0))
  // The mock makes up codes and texts; its own checks hold each of its answers against the contract.
  const isMock = facts.target.kind === 'mock'
  const wire = isMock ? [] : sorted.flatMap(({ breaches }) => breaches)
  const ran = [
    ...plan.checks.map((check) => resultOf(check, sorted, facts.status)),
    ...(isMock ? [] : wireChecks(sorted, wire)),
    ...leftBehind(facts),
  ]
  const checks = applyRatchet(ran, facts.knownFailing ?? [], isKnownId(plan))
  const summary = countChecks(checks)
  const seen = mergeObservations(sorted.flatMap(({ observations }) => observations))
  const observations = facts.baseline ? compare(seen, facts.baseline) : seen
  return {
    schema: reportSchemaId,
    startedAt: facts.startedAt,
    durationMs: facts.durationMs,
    status: facts.status,
    exitCode: exitCodeOf(facts, checks, observations),
    target: facts.target,
    contract: Object.fromEntries(
      Object.values(contracts).map(({ interface: name, openapi }) => [name, openapi.document.info.version]),
    ),
    summary,
    requirements: plan.requirements.map((requirement) => requirementResult(requirement, checks)),
    checks,
    observations,
    wire,
  }
}

/**
 * 130 interrupted, 2 crashed; else 1 where a check failed that is not known to, or the target drifted and that counts;
 * else 2 where one ended in an error or nothing ran; else 0 (design §5).
 */
function exitCodeOf(
  { status, failOnDrift }: Pick<RunFacts, 'status' | 'failOnDrift'>,
  checks: readonly CheckResult[],
  observations: readonly Observation[],
): number {
  if (status !== 'complete') return status === 'interrupted' ? 130 : 2
  const isFailed = checks.some(({ outcome, known }) => outcome === 'fail' && known === undefined)
  if (isFailed || (failOnDrift && observations.some(({ drift }) => drift))) return 1
  const { passed, failed, errors } = countChecks(checks)
  return errors > 0 || passed + failed === 0 ? 2 : 0
}

/** What became of a check of the plan, also of one that an early end did not let run. */
function resultOf(check: Check, runs: readonly CheckRun[], status: Report['status']): CheckResult {
  const run = runs.find(({ result }) => result.id === check.id)
  if (run) return run.result
  const { id, requirements, ground, through, effect } = check
  const message = `not run: the run ${status === 'crashed' ? 'crashed' : 'was interrupted'}`
  return { id, requirements, ground, through, effect, outcome: 'skip', durationMs: 0, requests: 0, message }
}

/** Faults of the suite and writes that still stand, as errors beside the checks, so that every report shows them. */
function leftBehind({ faults = [], left = [] }: Pick<RunFacts, 'faults' | 'left'>): CheckResult[] {
  const messages = [
    ...faults.map((fault, index) => [`suite/${index + 1}`, `fault of the suite: ${fault}`] as const),
    ...left.map(
      ({ pending, reason }, index) => [`undo/${index + 1}`, `${reason} (written by ${pending.check})`] as const,
    ),
  ]
  const none = { requirements: [], ground: 'supplement', through: 'supplement', durationMs: 0, requests: 0 } as const
  return messages.map(([id, message]) => ({ id, ...none, effect: 'read', outcome: 'error', message }))
}

/** A list may hold what this run does not look at, as long as the suite knows it. */
function isKnownId({ checks, requirements }: Plan): (id: string) => boolean {
  const known = new Set(
    [...checks, ...requirements, ...createPlan().checks, ...createPlan().requirements].map(({ id }) => id),
  )
  return (id) => known.has(id) || /^wire\./.test(id)
}

function requirementResult(requirement: Requirement, checks: readonly CheckResult[]): RequirementResult {
  const own = checks.filter(({ requirements }) => requirements.includes(requirement.id))
  const outcome = rollUp(own.map((check) => check.outcome))
  const through = own.some((check) => check.through === 'document') ? 'document' : 'supplement'
  return {
    id: requirement.id,
    section: requirement.section,
    text: requirement.text,
    ground: requirement.ground,
    area: areaOf(requirement),
    ...(own.length > 0 && { through }),
    ...(outcome && { outcome }),
    checks: own.map(({ id }) => id),
    ...(requirement.unchecked !== undefined && { unchecked: requirement.unchecked }),
  }
}

/** The area of the operation that the id names, or the interface as a whole. */
function areaOf({ id, interface: name }: Requirement): string {
  const [, topic] = id.split('.')
  return operations.find((operation) => operation.name === topic)?.area ?? contracts[name].title
}

/** For each operation that was called and each layer that speaks of it: did all its exchanges keep to that layer? */
function wireChecks(runs: readonly CheckRun[], wire: readonly WireBreach[]): CheckResult[] {
  const called = new Set(runs.flatMap((run) => run.operations))
  return operations
    .filter(({ name }) => called.has(name))
    .flatMap((operation) => groundsOf(operation).map((ground) => wireCheck(operation, ground, wire)))
}

function groundsOf(operation: Operation): Ground[] {
  return operation.documented ? ['document', 'supplement'] : ['supplement']
}

function wireCheck(operation: Operation, ground: Ground, wire: readonly WireBreach[]): CheckResult {
  const id = `wire.${operation.name}`
  const own = wire.filter((breach) => breach.id === id && breach.ground === ground)
  const [first] = own
  return {
    // A documented operation is held against two layers.
    id: operation.documented && ground === 'supplement' ? `${id}/supplement` : id,
    requirements: [],
    ground,
    through: ground,
    effect: operation.effect,
    outcome: first ? 'fail' : 'pass',
    durationMs: 0,
    requests: 0,
    ...(first && { message: `${first.message} (${own.length} such answers, first in ${first.check})` }),
  }
}

/** One entry an id; several values that were seen become a list. */
function mergeObservations(seen: readonly Observation[]): Observation[] {
  return [...Map.groupBy(seen, ({ id }) => id)].map(([id, group]) => {
    const values = [...new Map(group.map(({ value }) => [JSON.stringify(value), value])).values()]
    return { id, value: values.length === 1 ? values[0] : values, drift: false }
  })
}
