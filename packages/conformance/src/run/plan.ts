import { contracts, operations } from '@cdn/api/contract'
import { credentialChecks } from '../cases/credentials.ts'
import { inputChecks } from '../cases/input/input-checks.ts'
import { equalVersionChecks } from '../cases/logs/equal-versions.ts'
import { hiddenAddressChecks } from '../cases/logs/hidden-addresses.ts'
import { logQueryChecks } from '../cases/logs/log-queries.ts'
import { notationChecks } from '../cases/logs/notations.ts'
import { negotiationChecks } from '../cases/negotiation.ts'
import { ruleChecks } from '../cases/rule-checks.ts'
import { isSweepable } from '../cases/state/declared-state.ts'
import { successChecks } from '../cases/success-status.ts'
import { pointChecks } from '../cases/unspecified/points.ts'
import type { Case } from '../exchange/case.ts'
import type { CheckedRequirement } from '../exchange/check.ts'
import { Skip, SuiteConfigurationError } from '../exchange/failure.ts'
import { type ChecksOf, type Decided, matchesPattern } from '../exchange/requirements.ts'
import type { CheckPlan, Selection } from '../exchange/run-types.ts'
import { parallelChecks } from '../scenarios/parallel.ts'
import { rateLimitChecks } from '../scenarios/rate-limit.ts'
import { agreementChecks, retentionChecks } from '../scenarios/retention.ts'
import { listChecks } from '../scenarios/state/lists.ts'
import { stateChecks } from '../scenarios/state/state-checks.ts'
import { mockChecks } from './targets/mock/checks.ts'

/** Functions that create the checks of an operation. The checks run in this order. */
export const contractChecks: readonly ChecksOf[] = [
  // These checks come first, because they first read the log rows from which their cases are made.
  logQueryChecks,
  successChecks,
  negotiationChecks,
  credentialChecks,
  ruleChecks,
  rateLimitChecks,
  retentionChecks,
  agreementChecks,
  hiddenAddressChecks,
  equalVersionChecks,
  notationChecks,
  stateChecks,
  parallelChecks,
  listChecks,
  inputChecks,
]

/**
 * Creates the checks of every operation.
 *
 * @throws Error if two checks have the same id
 */
export function createPlan(): CheckPlan {
  const listed = Object.values(contracts).flatMap(({ requirements }) => requirements)
  const decided = contractChecks.flatMap((checksOf) => operations.flatMap(checksOf))
  return planFrom([...decided, ...undecidedChecks(decided)], listed)
}

/**
 * Creates the plan of a run: the selected checks of the contract, then those of the unspecified points. The mock has its own checks.
 *
 * @throws SuiteConfigurationError if a pattern of `only` matches no check and no requirement
 */
export function createRunPlan({ target, only }: Selection & { readonly target: Case['target'] }): CheckPlan {
  if (target === 'mock') return select(planFrom(mockChecks()), only)
  const plan = createPlan()
  const ids = new Set([...plan.ids, ...pointChecks.map(({ id }) => id)])
  return select({ ...plan, checks: [...plan.checks, ...pointChecks], ids }, only)
}

/** Creates a plan. Of several requirements with the same id, the first counts. */
function planFrom(decided: readonly Decided[], stated: readonly CheckedRequirement[] = []): CheckPlan {
  const checks = decided.map(({ check }) => check)
  const listed = [...stated, ...decided.map(({ requirement }) => requirement)]
  const requirements = listed.filter(({ id }, index) => listed.findIndex((other) => other.id === id) === index)
  const seen = new Set<string>()
  const parts = new Map<string, readonly string[]>()
  for (const { id, part, requirements: named } of checks) {
    if (seen.has(id)) throw new Error(`two checks have the id ${id}`)
    seen.add(id)
    if (part === undefined) continue
    for (const requirement of named) parts.set(requirement, [...new Set([...(parts.get(requirement) ?? []), part])])
  }
  return { checks, requirements, parts, ids: new Set([...seen, ...requirements.map(({ id }) => id)]) }
}

/**
 * Selects checks of a plan, their requirements, and the matching requirements that no check can observe.
 *
 * @throws SuiteConfigurationError if a pattern matches no check and no requirement
 */
export function select(plan: CheckPlan, only: Selection['only']): CheckPlan {
  if (!only) return plan
  const idle = only.find((pattern) => ![...plan.ids].some((id) => matchesPattern(pattern, id)))
  if (idle !== undefined)
    throw new SuiteConfigurationError(
      `${idle} matches no check and no requirement of this target; "conformance list" shows those of the platform.`,
    )
  const isNamed = (id: string) => only.some((pattern) => matchesPattern(pattern, id))
  const checks = plan.checks.filter(({ id, requirements }) => [id, ...requirements].some(isNamed))
  const verified = new Set(checks.flatMap(({ requirements }) => requirements))
  const requirements = plan.requirements.filter(
    ({ id, unchecked }) => verified.has(id) || (unchecked !== undefined && isNamed(id)),
  )
  return { ...plan, checks, requirements }
}

/** Why a sentence stays undecided whatever the target does. */
export const noCheck = 'the suite has no check for this sentence'

/**
 * Returns a skipped check for each listed requirement that no other check decides, without those that the contract marks as
 * `unchecked`. The check says why: the suite has no check, or no sweep restores the write.
 */
export function undecidedChecks(decided: readonly Decided[]): readonly Decided[] {
  const known = new Set(decided.map(({ requirement: { id } }) => id))
  return Object.values(contracts)
    .flatMap(({ requirements }) => requirements)
    .filter(({ id, unchecked }) => unchecked === undefined && !known.has(id))
    .map((requirement) => {
      const operation = operations.find(({ interface: of, name }) => requirement.id.startsWith(`${of}.${name}.`))
      const isLasting = operation && operation.effect !== 'read' && !isSweepable(operation)
      const reason = isLasting ? `no sweep restores what ${operation.name} changes` : noCheck
      const { id, source } = requirement
      const run = async () => {
        throw new Skip(reason)
      }
      return { requirement, check: { id, requirements: [id], source, basis: source, effect: 'read', needs: [], run } }
    })
}
