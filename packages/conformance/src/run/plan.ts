import { contracts, type Effect, type InterfaceName, operations, type Source } from '@cdn/api/contract'

import type { Case } from '../cases/case.ts'
import { credentials } from '../cases/credentials.ts'
import { input } from '../cases/input/input.ts'
import { logQueries } from '../cases/logs/log-queries.ts'
import { logs } from '../cases/logs/versions.ts'
import { interfaceIn } from '../cases/resources.ts'
import { success } from '../cases/success.ts'
import { probes } from '../cases/unspecified/probes.ts'
import { type ContractChecks, type Decided, undecided } from '../requirements.ts'
import { ruleChecks } from '../rules/checks.ts'
import { rateLimit } from '../scenarios/rate-limit.ts'
import { retention } from '../scenarios/retention.ts'
import { lists } from '../scenarios/state/lists.ts'
import { stateChecks } from '../scenarios/state/state-checks.ts'
import type { Check, CheckedRequirement } from './check.ts'
import { SuiteConfigurationError } from './failure.ts'
import { mockChecks } from './targets/mock/checks.ts'

const contractChecks: readonly ContractChecks[] = [
  // They begin with reading what their cases are made from.
  logQueries,
  success,
  credentials,
  ruleChecks,
  rateLimit,
  retention,
  logs,
  stateChecks,
  lists,
  input,
]

/** Checks, and the requirements that they verify. */
export interface CheckPlan {
  readonly checks: readonly Check[]
  /** The requirements of the contract, and those that the checks add. */
  readonly requirements: readonly CheckedRequirement[]
  /** Map from requirement id to the requirement's parts (`Check.part`), including parts without a selected check. */
  readonly parts: ReadonlyMap<string, readonly string[]>
  /** Ids of all checks and requirements of the suite, selected or not. */
  readonly ids: ReadonlySet<string>
}

/** Which part of a plan to run. */
export interface Selection {
  /** Names of interfaces; all by default. */
  readonly interfaces?: readonly InterfaceName[] | undefined
  readonly source?: Source | undefined
  readonly basis?: Source | undefined
  /** Ids of checks, or of requirements with all their checks; all by default. */
  readonly only?: readonly string[] | undefined
}

/** An effect that a live run may have, in addition to reading. */
export type Permission = Exclude<Effect, 'read'> | 'burst'

/**
 * Creates the checks of every operation.
 *
 * @throws Error if two checks decide the same id, nothing decides a requirement, or a check names one that does not exist
 */
export function createPlan(): CheckPlan {
  const listed = Object.values(contracts).flatMap(({ requirements }) => requirements)
  const decided = contractChecks.flatMap((checksOf) => operations.flatMap(checksOf))
  return planFrom([...decided, ...undecided(decided)], listed)
}

/**
 * Creates the plan of a run: the selected checks, then the probes. A run of the mock has its own checks.
 *
 * @throws SuiteConfigurationError if nothing is selected, or `only` names something else than a check or a requirement
 */
export function planOf({ target, ...selection }: Selection & { readonly target: Case['target'] }): CheckPlan {
  const { interfaces, source, basis, only } = selection
  const isMock = target === 'mock'
  let plan = isMock ? planFrom(mockChecks(interfaces)) : createPlan()
  // The probes observe through the supplement.
  if (!isMock && source !== 'spec' && basis !== 'spec')
    plan = { ...plan, checks: [...plan.checks, ...probes], ids: new Set([...plan.ids, ...probes.map(({ id }) => id)]) }
  const unknown = only?.find((id) => !plan.ids.has(id))
  if (unknown !== undefined)
    throw new SuiteConfigurationError(`${unknown} is neither a check nor a requirement; "conformance list" shows all.`)
  const selected = select(plan, isMock ? { only } : selection)
  if (selected.checks.length > 0) return selected
  throw new SuiteConfigurationError('No check is selected: none has this combination of options.')
}

/** Creates a plan. Of several requirements with the same id, the first counts. */
function planFrom(decided: readonly Decided[], stated: readonly CheckedRequirement[] = []): CheckPlan {
  const checks = decided.map(({ check }) => check)
  const listed = [...stated, ...decided.map(({ requirement }) => requirement)]
  const requirements = listed.filter(({ id }, index) => listed.findIndex((other) => other.id === id) === index)
  const known = new Set(requirements.map(({ id }) => id))
  const seen = new Set<string>()
  const parts = new Map<string, readonly string[]>()
  for (const { id, part, requirements: named } of checks) {
    if (seen.has(id)) throw new Error(`two checks have the id ${id}`)
    seen.add(id)
    const missing = named.find((requirement) => !known.has(requirement))
    if (missing !== undefined) throw new Error(`the check ${id} names ${missing}, which is not a requirement`)
    if (part === undefined) continue
    for (const requirement of named) parts.set(requirement, [...new Set([...(parts.get(requirement) ?? []), part])])
  }
  return { checks, requirements, parts, ids: new Set([...seen, ...known]) }
}

/** Selects checks of a plan, their requirements, and the requirements that no check can observe. */
export function select(plan: CheckPlan, { interfaces, source, basis, only }: Selection): CheckPlan {
  const isOf = (name: string) => !interfaces || interfaces.some((one) => one === name)
  const isNamed = (...ids: readonly string[]) => !only || ids.some((id) => only.includes(id))
  const checks = plan.checks.filter(
    (check) =>
      (!source || check.source === source) &&
      (!basis || check.basis === basis) &&
      isOf(interfaceIn(check.id)) &&
      isNamed(check.id, ...check.requirements),
  )
  const verified = new Set(checks.flatMap(({ requirements }) => requirements))
  const requirements = plan.requirements.filter(
    (requirement) =>
      verified.has(requirement.id) ||
      (requirement.unchecked !== undefined &&
        (!source || requirement.source === source) &&
        isOf(requirement.interface) &&
        isNamed(requirement.id)),
  )
  return { ...plan, checks, requirements }
}
