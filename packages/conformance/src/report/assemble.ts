import { contracts, type Ground, type Operation, operations, type Requirement } from '@cdn/api/contract'
import type { Plan } from '../plan.ts'
import type { CheckRun } from '../run-check.ts'
import { reportSchemaId } from './json.ts'
import type { CheckResult, Observation, Report, RequirementResult, WireBreach } from './model.ts'
import { countChecks, rollUp } from './summarize.ts'

/** What is known about a run beside its checks. */
export interface RunFacts extends Pick<Report, 'startedAt' | 'durationMs' | 'status' | 'target'> {
  readonly plan: Plan
  readonly runs: readonly CheckRun[]
}

/**
 * Puts the one result model together.
 *
 * Exit code: 1 where any check failed; else 2 where one ended in an error or nothing ran; else 0 (design §5).
 */
export function assembleReport({ plan, runs, ...facts }: RunFacts): Report {
  const order = new Map(plan.checks.map(({ id }, index) => [id, index]))
  const sorted = runs.toSorted((a, b) => (order.get(a.result.id) ?? 0) - (order.get(b.result.id) ?? 0))
  const wire = sorted.flatMap(({ breaches }) => breaches)
  const checks = [...sorted.map(({ result }) => result), ...wireChecks(sorted, wire)]
  const summary = countChecks(checks)
  const nothingRan = summary.passed + summary.failed + summary.errors === 0
  return {
    schema: reportSchemaId,
    startedAt: facts.startedAt,
    durationMs: facts.durationMs,
    status: facts.status,
    exitCode: summary.failed > 0 ? 1 : summary.errors > 0 || nothingRan ? 2 : 0,
    target: facts.target,
    contract: Object.fromEntries(
      Object.values(contracts).map(({ interface: name, openapi }) => [name, openapi.document.info.version]),
    ),
    summary,
    requirements: plan.requirements.map((requirement) => requirementResult(requirement, checks)),
    checks,
    observations: mergeObservations(sorted.flatMap(({ observations }) => observations)),
    wire,
  }
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
