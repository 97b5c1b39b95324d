/** Reads requirements from the contract, not from the suite: a requirement that the suite overlooks must not be missing here, too. */
import { contracts, type Operation } from '@cdn/api/contract'

/**
 * Returns the id `<interface>.<operation>.<slug>` if the contract lists it, otherwise the listed id `<interface>.<topic>`. If the contract
 * lists neither, it returns the first id, which only checks of the suite have.
 */
export function requirementIdOf(operation: Operation, slug: string, topic?: string): string {
  const id = `${operation.interface}.${operation.name}.${slug}`
  const ofTopic = `${operation.interface}.${topic}`
  return contractLists(operation, slug) || !isRequirement(operation, ofTopic) ? id : ofTopic
}

export function contractLists(operation: Operation, slug: string): boolean {
  return isRequirement(operation, `${operation.interface}.${operation.name}.${slug}`)
}

function isRequirement({ interface: name }: Operation, id: string): boolean {
  return contracts[name].requirements.some((requirement) => requirement.id === id)
}
