import { contracts, operations } from '@cdn/api/contract'
import { pointChecks } from '../cases/unspecified/points.ts'
import { observedByChecks, unobservable } from '../cases/unspecified/unobservable.ts'
import type { Decided } from '../exchange/requirements.ts'
import { operationOf } from '../exchange/resources.ts'
import { logFilters, pageParameters } from '../rules/predictions.ts'
import { contractChecks } from './plan.ts'

/** Something in the contract that the suite cannot check. */
export interface ContractFault {
  readonly interface: string
  /** Id of the requirement or open point, or name of the operation if no statement causes the fault. */
  readonly about: string
  /** One sentence that also says what is right. */
  readonly message: string
}

/**
 * Builds the checks of the contract, and finds the statements that prevent checks or have none.
 *
 * @returns operations whose checks cannot be built, ids with two checks, parameters of the logs that nothing predicts, requirements that
 *   nothing decides, and open points that nothing observes
 */
export function faultsOfContract(): ContractFault[] {
  const faults: ContractFault[] = []
  const decided: Decided[] = []
  const seen = new Set<string>()
  for (const operation of operations) {
    for (const checksOf of contractChecks)
      try {
        decided.push(...checksOf(operation))
      } catch (error) {
        const message = `The suite cannot check \`${operation.name}\`: ${(error as Error).message}.`
        faults.push({ interface: operation.interface, about: operation.name, message })
      }
  }
  for (const { check, requirement } of decided) {
    const message = `Two checks have the id \`${check.id}\`: two operations, parameters or fields have one name; rename one.`
    if (seen.has(check.id)) faults.push({ interface: requirement.interface, about: requirement.id, message })
    seen.add(check.id)
  }
  for (const [operation, filters] of Object.entries(logFilters))
    for (const { name, in: place } of operationOf(operation).parameters) {
      const message = `Nothing predicts what \`${name}\` picks: add it to \`logFilters\` in src/rules/predictions.ts.`
      const isKnown = place !== 'query' || name in filters || pageParameters.includes(name)
      if (!isKnown) faults.push({ interface: 'logging', about: operation, message })
    }
  const known = new Set(decided.map(({ requirement }) => requirement.id))
  const observed = new Set([
    ...pointChecks.map(({ id }) => id.replace(/^unspecified\./, '')),
    ...Object.keys(observedByChecks),
  ])
  for (const { interface: name, requirements, unspecified } of Object.values(contracts)) {
    for (const { id, unchecked } of requirements) {
      const message = `No check decides \`${id}\`: add \`unchecked\` with the reason, or end the id with what a check decides, such as a status, \`effect\` or \`<field>-required\`.`
      if (unchecked === undefined && !known.has(id)) faults.push({ interface: name, about: id, message })
    }
    for (const { id } of unspecified) {
      const message = `No check observes \`${id}\`: add \`unchecked\` with the reason.`
      if (!observed.has(id) && unobservable[id] === undefined) faults.push({ interface: name, about: id, message })
    }
  }
  return faults
}
