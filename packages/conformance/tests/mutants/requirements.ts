/** Reads requirements from the contract, not from the suite: a requirement that the suite overlooks must not be missing here, too. */
import { contracts, type Operation } from '@cdn/api/contract'

/**
 * Returns the id `<interface>.<operation>.<end>` if the contract lists it, otherwise the listed id `<interface>.<sharedEnd>`. If the
 * contract lists neither, it returns the first id, which only checks of the suite have.
 */
export function requirementIdOf(operation: Operation, end: string, sharedEnd?: string): string {
  const id = `${operation.interface}.${operation.name}.${end}`
  const shared = `${operation.interface}.${sharedEnd}`
  return contractLists(operation, end) || !isRequirement(operation, shared) ? id : shared
}

export function contractLists(operation: Operation, end: string): boolean {
  return isRequirement(operation, `${operation.interface}.${operation.name}.${end}`)
}

function isRequirement({ interface: name }: Operation, id: string): boolean {
  return contracts[name].requirements.some((requirement) => requirement.id === id)
}
