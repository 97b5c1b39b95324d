/** Operations and requirements of the spec, from the contract alone: what the suite overlooks must not be missing here. */
import { contracts, type Operation } from '@cdn/api/contract'

/**
 * Id of a requirement of an operation: the one that the contract lists, or else that of the topic, or else one that only the
 * suite's checks have.
 */
export function requirementIdOf(operation: Operation, slug: string, topic?: string): string {
  const id = `${operation.interface}.${operation.name}.${slug}`
  const ofTopic = `${operation.interface}.${topic}`
  return isListed(operation, slug) || !isRequirement(operation, ofTopic) ? id : ofTopic
}

/** Whether the contract lists a requirement of an operation. */
export function isListed(operation: Operation, slug: string): boolean {
  return isRequirement(operation, `${operation.interface}.${operation.name}.${slug}`)
}

function isRequirement({ interface: name }: Operation, id: string): boolean {
  return contracts[name].requirements.some((requirement) => requirement.id === id)
}
