import { type Operation, operations } from '@cdn/api/contract'

/** Which fixture is the existing resource of an area's `{id}`, and which one is absent. A new area adds a row. */
export const resources = {
  'Stream Video Library': { present: 'libraryId', absent: 'absentLibraryId' },
  'Pull Zone': { present: 'zoneId', absent: 'absentZoneId' },
  Logging: { present: 'loggedZoneId', absent: 'absentZoneId' },
} as const

/** The fixtures of an operation's resource, or undefined for an area that has none yet. */
export function resourceOf(operation: Operation): (typeof resources)[keyof typeof resources] | undefined {
  return Object.entries(resources).find(([area]) => area === operation.area)?.[1]
}

/**
 * An operation of the contract by its x-name.
 *
 * @throws Error when the contract has none of that name
 */
export function operationOf(name: string): Operation {
  const operation = operations.find((candidate) => candidate.name === name)
  if (!operation) throw new Error(`the contract has no operation ${name}`)
  return operation
}

/** The UTC day of a time as v1's path writes it: MM-DD-YY (supplement). */
export function dayOf(time: Date): string {
  const [year = '', month, day] = time.toISOString().slice(0, 10).split('-')
  return `${month}-${day}-${year.slice(2)}`
}
