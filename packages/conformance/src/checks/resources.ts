import { contracts, type InterfaceName, type Operation, operations } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'

/** The fixtures for the ids of an existing, of an absent, and of other resources, by area. A new area adds an entry. */
export const resources = {
  'Stream Video Library': {
    interface: 'management',
    present: 'libraryId',
    absent: 'absentLibraryId',
    others: ['distantLibraryId'],
  },
  'Pull Zone': { interface: 'management', present: 'zoneId', absent: 'absentZoneId', others: ['loggedZoneId'] },
  Logging: {
    interface: 'logging',
    present: 'loggedZoneId',
    absent: 'absentZoneId',
    others: ['unloggedZoneId', 'suspendedZoneId', 'disabledZoneId'],
  },
} as const

/**
 * Returns the fixtures of an operation's resource, or undefined if its area has none. An imported interface may have an
 * area of the same name, but the ids of its resources are different.
 */
export function resourceOf(operation: Operation): (typeof resources)[keyof typeof resources] | undefined {
  const resource = Object.entries(resources).find(([area]) => area === operation.area)?.[1]
  return resource?.interface === operation.interface ? resource : undefined
}

/** The names of the interfaces that the spec describes. */
export const platformInterfaces: readonly InterfaceName[] = Object.values(contracts).flatMap((contract) =>
  contract.source === 'spec' ? [contract.interface] : [],
)

/** The operations of the interfaces that the spec describes. */
export const specOperations: readonly Operation[] = operations.filter((operation) => !isImported(operation))

/** Whether an operation belongs to an interface that was imported. */
export function isImported({ interface: name }: Pick<Operation, 'interface'>): boolean {
  return contracts[name].source === 'supplement'
}

/** Returns the name of an operation for ids. It is unique, although two interfaces may have operations of one name. */
export function labelOf(operation: Pick<Operation, 'interface' | 'name'>): string {
  return isImported(operation) ? `${operation.interface}.${operation.name}` : operation.name
}

/** Returns the interface name at the start of a check's id. */
export function interfaceIn(id: string): string {
  return defined(id.replace(/^probe\./, '').split('.')[0])
}

/** The path parameter for a day of logs, which the contract marks with `x-day`. */
export function dayParameterOf({ parameters }: Pick<Operation, 'parameters'>): string | undefined {
  return parameters.find(({ in: place, day }) => place === 'path' && day !== undefined)?.name
}

/** Returns the path parameter for the resource's id: the first path parameter that is not a day, whatever its name. */
export function idParameterOf({ path, ...operation }: Pick<Operation, 'path' | 'parameters'>): string | undefined {
  const day = dayParameterOf(operation)
  return [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name).find((name) => name !== day)
}

/** Path parameters of a request for a resource other than the fixture. */
export function pathTo(operation: Operation, id: string): Record<string, string> {
  const name = idParameterOf(operation)
  return name === undefined ? {} : { [name]: id }
}

/**
 * Finds an operation of the spec's interfaces by its `x-name`.
 *
 * @throws Error if the spec's interfaces have no operation of that name
 */
export function operationOf(name: string): Operation {
  const operation = specOperations.find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`the contract has no operation ${name}`)
  return operation
}

/** Returns the path parameter that selects a day of logs. */
export function dayPath(operation: Pick<Operation, 'parameters'>, day: Date): Record<string, string> {
  const name = dayParameterOf(operation)
  return name === undefined ? {} : { [name]: dayOf(day) }
}

/** Returns the UTC day of a time, in the path format of version 1: MM-DD-YY (supplement). */
export function dayOf(time: Date): string {
  const [year, month, day] = time.toISOString().slice(2, 10).split('-')
  return `${month}-${day}-${year}`
}
