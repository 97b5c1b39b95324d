import { contracts, type Effect, type Ground, operations, type Requirement } from '@cdn/api/contract'
import type { Check } from './check.ts'
import { absent } from './laws/absent.ts'
import { credentials } from './laws/credentials.ts'
import type { Law } from './laws/law.ts'
import { logAccess } from './laws/log-access.ts'
import { logs } from './laws/logs.ts'
import { managementErrors } from './laws/management-errors.ts'
import { rateLimit } from './laws/rate-limit.ts'
import { requestBody } from './laws/request-body.ts'
import { retention } from './laws/retention.ts'
import { success } from './laws/success.ts'
import { v1Supplement } from './laws/v1-supplement.ts'
import { v2Filters } from './laws/v2-filters.ts'
import { v2Paging } from './laws/v2-paging.ts'
import { v2Supplement } from './laws/v2-supplement.ts'
import { pullZone } from './scenarios/pull-zone.ts'
import { toCheck } from './scenarios/scenario.ts'
import { streamVideoLibrary } from './scenarios/stream-video-library.ts'

const laws: readonly Law[] = [
  success,
  credentials,
  absent,
  requestBody,
  managementErrors,
  logAccess,
  rateLimit,
  retention,
  logs,
  v2Paging,
  v2Filters,
  v2Supplement,
  v1Supplement,
]
const scenarios = [...streamVideoLibrary, ...pullZone]

/** All checks, and all requirements that they or the contract name. */
export interface Plan {
  readonly checks: readonly Check[]
  readonly requirements: readonly Requirement[]
}

/** What part of a plan is to run. */
export interface Selection {
  readonly ground?: Ground
  readonly through?: Ground
}

/** What a live run may do beyond reading. */
export type Permission = Exclude<Effect, 'read'> | 'burst'

/**
 * Makes the checks: laws for every operation of the contract, and the scenarios.
 *
 * @throws Error when two checks have the same id, or a scenario names a requirement that is not listed
 */
export function createPlan(): Plan {
  const drafted = laws.flatMap((law) => operations.flatMap(law))
  const checks = [...drafted.map(({ check }) => check), ...scenarios.map(toCheck)]
  const twice = checks.find((check, index) => checks.findIndex(({ id }) => id === check.id) !== index)
  if (twice) throw new Error(`two checks have the id ${twice.id}`)
  const requirements = new Map<string, Requirement>()
  for (const { requirements: listed } of Object.values(contracts)) {
    for (const requirement of listed) requirements.set(requirement.id, requirement)
  }
  for (const { requirement } of drafted) {
    if (!requirements.has(requirement.id)) requirements.set(requirement.id, requirement)
  }
  return { checks, requirements: [...requirements.values()] }
}

/** The part of a plan that is asked for; its requirements are those of the remaining checks, and unchecked ones. */
export function select(plan: Plan, { ground, through }: Selection): Plan {
  const checks = plan.checks.filter(
    (check) => (!ground || check.ground === ground) && (!through || check.through === through),
  )
  const named = new Set(checks.flatMap(({ requirements }) => requirements))
  const requirements = plan.requirements.filter(
    (requirement) =>
      named.has(requirement.id) || (requirement.unchecked !== undefined && (!ground || requirement.ground === ground)),
  )
  return { checks, requirements }
}
