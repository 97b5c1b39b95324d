import { contracts, type InterfaceName, type Operation, operations, type Resource } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import type { Fixtures } from '../run/check.ts'

/** The name of a fixture that holds an id or a file. */
export type FixtureName = Exclude<keyof Fixtures, 'credentials'>

/** The fixtures that hold the ids of a resource. */
export interface FixtureNames {
  readonly interface: InterfaceName
  /** The resource as `x-resource` names it. */
  readonly resource?: string
  /** Items that the suite may change. */
  readonly own: readonly [FixtureName, ...FixtureName[]]
  /** Items that the suite only reads. */
  readonly others: readonly FixtureName[]
  readonly absent: FixtureName
}

/** The fixtures by area. An area whose items can be created and deleted needs none. */
const fixtureNames: Readonly<Record<string, FixtureNames>> = {
  'Stream Video Library': {
    interface: 'management',
    resource: 'video-library',
    own: ['libraryId', 'distantLibraryId'],
    others: [],
    absent: 'absentLibraryId',
  },
  'Pull Zone': {
    interface: 'management',
    resource: 'pull-zone',
    own: ['zoneId'],
    others: ['loggedZoneId', 'otherLoggedZoneId'],
    absent: 'absentZoneId',
  },
  Logging: {
    interface: 'logging',
    own: ['loggedZoneId'],
    others: ['unloggedZoneId', 'suspendedZoneId', 'disabledZoneId'],
    absent: 'absentZoneId',
  },
}

/** The fixtures that hold items of a resource, by their use. */
export function fixturesOf({ interface: of, name }: Resource): FixtureNames | undefined {
  return Object.values(fixtureNames).find((each) => each.interface === of && each.resource === name)
}

/**
 * Returns the fixtures of an operation's resource, or undefined if its area has none. An imported interface may have an
 * area of the same name, but the ids of its resources are different.
 */
export function resourceOf(operation: Operation): FixtureNames | undefined {
  const names = fixtureNames[operation.area]
  return names?.interface === operation.interface ? names : undefined
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
