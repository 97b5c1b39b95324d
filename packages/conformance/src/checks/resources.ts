import { contracts, type Operation, operations } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'

/** For each area, the fixtures for the `{id}` of an existing resource and of an absent one. A new area adds a row. */
export const resources = {
  'Stream Video Library': { interface: 'management', present: 'libraryId', absent: 'absentLibraryId' },
  'Pull Zone': { interface: 'management', present: 'zoneId', absent: 'absentZoneId' },
  Logging: { interface: 'logging', present: 'loggedZoneId', absent: 'absentZoneId' },
} as const

/**
 * The fixtures of an operation's resource, or undefined for an area without any. An imported interface may have an
 * area of the same name, but its ids are different.
 */
export function resourceOf(operation: Operation): (typeof resources)[keyof typeof resources] | undefined {
  const resource = Object.entries(resources).find(([area]) => area === operation.area)?.[1]
  return resource?.interface === operation.interface ? resource : undefined
}

/** The operations of the interfaces that the spec describes. */
export const specOperations: readonly Operation[] = operations.filter((operation) => !isImported(operation))

/** Whether an operation belongs to an interface that was imported. */
export function isImported({ interface: name }: Pick<Operation, 'interface'>): boolean {
  return contracts[name].source === 'supplement'
}

/** The name of an operation in ids: two interfaces may have operations of the same name. */
export function labelOf(operation: Pick<Operation, 'interface' | 'name'>): string {
  return isImported(operation) ? `${operation.interface}.${operation.name}` : operation.name
}

/** The name of the interface that the id of a check begins with. */
export function interfaceIn(id: string): string {
  return defined(id.replace(/^probe\./, '').split('.')[0])
}

/** The path parameter for a day of logs, which the contract marks with `x-day`. */
export function dayParameterOf({ parameters }: Pick<Operation, 'parameters'>): string | undefined {
  return parameters.find(({ in: place, day }) => place === 'path' && day !== undefined)?.name
}

/** The path parameter for the id of the resource: the first one that is not a day, whatever its name. */
export function idParameterOf({ path, ...operation }: Pick<Operation, 'path' | 'parameters'>): string | undefined {
  const day = dayParameterOf(operation)
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name).find((name) => name !== day)
}

/** Path parameters of a request for a resource other than the fixture. */
export function pathTo(operation: Operation, id: string): Record<string, string> {
  const name = idParameterOf(operation)
  return name === undefined ? {} : { [name]: id }
}

/**
 * An operation of the spec's interfaces by its x-name.
 *
 * @throws Error if they have no operation of that name
 */
export function operationOf(name: string): Operation {
  const operation = specOperations.find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`the contract has no operation ${name}`)
  return operation
}

/** The path parameter of a request for the logs of a day other than today. */
export function dayPath(operation: Pick<Operation, 'parameters'>, day: Date): Record<string, string> {
  const name = dayParameterOf(operation)
  return name === undefined ? {} : { [name]: dayOf(day) }
}

/** The UTC day of a time in the format of the path of version 1: MM-DD-YY (supplement). */
export function dayOf(time: Date): string {
  const [year, month, day] = time.toISOString().slice(2, 10).split('-')
  return `${month}-${day}-${year}`
}
