import { contracts, type Effect, type Requirement } from '@cdn/api/contract'
import type { Check } from '../../core/check.ts'

/** On a virtual clock, the effect of a write is verified again after this time, in milliseconds. */
export const lastingMs = 3_600_000

/** A scenario verifies a listed requirement with hand-written steps. */
export interface Scenario extends Pick<Check, 'needs' | 'run'> {
  /** The requirement's id. */
  readonly requirement: string
  /** What this check observes, if the requirement has several checks. */
  readonly aspect?: string
  /** The part of the requirement that this check covers, if each part needs a check. */
  readonly part?: string
  readonly effect: Effect
}

/**
 * Makes the check of a scenario. The basis of the check is `supplement`, because it observes effects through reads that
 * only the supplement describes.
 *
 * @throws Error if the contract does not list the requirement
 */
export function scenarioCheck({ requirement: id, aspect, part, effect, needs, run }: Scenario): Check {
  const requirement = requirementOf(id)
  return {
    id: aspect ? `${id}/${aspect}` : id,
    requirements: [id],
    source: requirement.source,
    basis: 'supplement',
    effect,
    ...(part !== undefined && { part }),
    needs,
    run,
  }
}

function requirementOf(id: string): Requirement {
  const all = Object.values(contracts).flatMap(({ requirements }) => requirements)
  const requirement = all.find((candidate) => candidate.id === id)
  if (!requirement) throw new Error(`the contract lists no requirement ${id}`)
  return requirement
}
