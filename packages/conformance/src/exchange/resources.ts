import {
  type InterfaceName,
  isStated,
  type Operation,
  operations,
  type Resource,
  type StatedOperation,
} from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import type { Fixtures } from './check.ts'

/** The name of a fixture that holds an id or a file. */
export type FixtureName = Exclude<keyof Fixtures, 'credentials' | 'state'>

/** The fixtures that hold the ids of a resource. */
export interface FixtureNames {
  readonly interface: InterfaceName
  /** The resource as `x-resource` names it. */
  readonly resource?: string
  /** Items that the suite may change; for the logs, the pull zone that it queries. */
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

/** Returns the fixtures of an operation's resource, or undefined if its area has none. */
export function fixturesOfOperation(operation: Operation): FixtureNames | undefined {
  return fixtureNames[operation.area]
}

/** Returns the interface name at the start of a check's id. */
export function interfaceIn(id: string): string {
  return assertDefined(id.replace(/^unspecified\./, '').split('.')[0])
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

/** Returns path parameters that select a resource by its id; none if the operation has no id in its path. */
export function idPath(operation: Operation, id: string): Record<string, string> {
  const name = idParameterOf(operation)
  return name === undefined ? {} : { [name]: id }
}

/**
 * Finds an operation by its `x-name`.
 *
 * @throws Error if the contract has no operation of that name
 */
export function operationOf(name: string): Operation {
  const operation = operations.find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`the contract has no operation ${name}`)
  return operation
}

/** Returns path parameters that select a day of logs; none if the operation has no day in its path. */
export function dayPath(operation: Pick<Operation, 'parameters'>, day: Date): Record<string, string> {
  const name = dayParameterOf(operation)
  return name === undefined ? {} : { [name]: dayOf(day) }
}

/** Returns the UTC day of a time, in the path format of version 1: MM-DD-YY (supplement). */
export function dayOf(time: Date): string {
  const [year, month, day] = time.toISOString().slice(2, 10).split('-')
  return `${month}-${day}-${year}`
}

/** Whether a request needs an item that the suite has to create, because the fixtures have none. */
export function needsNewItem(operation: Operation): operation is StatedOperation {
  return isStated(operation) && operation.path.includes('{') && !fixturesOf(operation.resource)
}
