import {
  contracts,
  type Effect,
  type InterfaceName,
  operations,
  type Requirement,
  type Source,
} from '@cdn/api/contract'
import { absentResource } from '../checks/contract/absent.ts'
import type { ContractChecks } from '../checks/contract/contract-checks.ts'
import { credentials } from '../checks/contract/credentials.ts'
import { logAccess } from '../checks/contract/log-access.ts'
import { logs } from '../checks/contract/logs.ts'
import { managementErrors } from '../checks/contract/management-errors.ts'
import { rateLimit } from '../checks/contract/rate-limit.ts'
import { requestBody } from '../checks/contract/request-body.ts'
import { retention } from '../checks/contract/retention.ts'
import { success } from '../checks/contract/success.ts'
import { logQueries } from '../checks/logs/log-queries.ts'
import { interfaceIn } from '../checks/resources.ts'
import { pullZone } from '../checks/scenarios/pull-zone.ts'
import { scenarioCheck } from '../checks/scenarios/scenario.ts'
import { streamVideoLibrary } from '../checks/scenarios/stream-video-library.ts'
import type { Check } from './check.ts'

const contractChecks: readonly ContractChecks[] = [
  success,
  credentials,
  absentResource,
  requestBody,
  managementErrors,
  logAccess,
  rateLimit,
  retention,
  logs,
  logQueries,
]
const scenarios = [...streamVideoLibrary, ...pullZone]

/** All checks, and all requirements: those of the contract, and those that the checks add. */
export interface CheckPlan {
  readonly checks: readonly Check[]
  readonly requirements: readonly Requirement[]
  /** Map from requirement id to the requirement's parts (`Check.part`), including parts without a selected check. */
  readonly parts: ReadonlyMap<string, readonly string[]>
}

/** Which part of a plan to run. */
export interface Selection {
  /** Names of interfaces; all by default. */
  readonly interfaces?: readonly InterfaceName[]
  readonly source?: Source
  readonly basis?: Source
}

/** An effect that a live run may have, in addition to reading. */
export type Permission = Exclude<Effect, 'read'> | 'burst'

/**
 * Creates the checks: contract checks for every operation, and the scenarios.
 *
 * @throws Error if two checks have the same id, or a scenario names an unlisted requirement
 */
export function createPlan(): CheckPlan {
  const drafted = contractChecks.flatMap((checksOf) => operations.flatMap(checksOf))
  const checks = [...drafted.map(({ check }) => check), ...scenarios.map(scenarioCheck)]
  const twice = checks.find((check, index) => checks.findIndex(({ id }) => id === check.id) !== index)
  if (twice) throw new Error(`two checks have the id ${twice.id}`)
  const requirements = new Map<string, Requirement>()
  for (const { requirements: listed } of Object.values(contracts)) {
    for (const requirement of listed) requirements.set(requirement.id, requirement)
  }
  for (const { requirement } of drafted) {
    if (!requirements.has(requirement.id)) requirements.set(requirement.id, requirement)
  }
  return { checks, requirements: [...requirements.values()], parts: partsOf(checks) }
}

function partsOf(checks: readonly Check[]): Map<string, readonly string[]> {
  const parts = new Map<string, readonly string[]>()
  for (const { requirements, part } of checks) {
    if (part === undefined) continue
    for (const id of requirements) parts.set(id, [...new Set([...(parts.get(id) ?? []), part])])
  }
  return parts
}

/** Selects checks of a plan, their requirements, and the requirements that no check can observe. */
export function select(plan: CheckPlan, { interfaces, source, basis }: Selection): CheckPlan {
  const isOf = (name: string) => !interfaces || interfaces.some((one) => one === name)
  const checks = plan.checks.filter(
    (check) => (!source || check.source === source) && (!basis || check.basis === basis) && isOf(interfaceIn(check.id)),
  )
  const named = new Set(checks.flatMap(({ requirements }) => requirements))
  const requirements = plan.requirements.filter(
    (requirement) =>
      named.has(requirement.id) ||
      (requirement.unchecked !== undefined &&
        (!source || requirement.source === source) &&
        isOf(requirement.interface)),
  )
  return { checks, requirements, parts: plan.parts }
}
