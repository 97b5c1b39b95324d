import { contracts, type Effect, type Requirement } from '@cdn/api/contract'
import type { Check } from '../check.ts'

/** An effect is looked at again after this time, in milliseconds, where a clock can be moved. */
export const lastingMs = 3_600_000

/** A scenario looks at requirements that the contract lists, with steps written by hand. */
export interface Scenario extends Pick<Check, 'needs' | 'run'> {
  /** The requirement's id. */
  readonly requirement: string
  /** What this check looks at, where the requirement has several. */
  readonly aspect?: string
  readonly effect: Effect
}

/**
 * Makes the check of a scenario. What it sees, it sees through the supplement's reads.
 *
 * @throws Error when the contract does not list the requirement
 */
export function toCheck({ requirement: id, aspect, effect, needs, run }: Scenario): Check {
  const requirement = requirementOf(id)
  return {
    id: aspect ? `${id}/${aspect}` : id,
    requirements: [id],
    ground: requirement.ground,
    through: 'supplement',
    effect,
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
