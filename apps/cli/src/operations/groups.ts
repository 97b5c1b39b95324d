import { type Contract, contracts, type Operation } from '@cdn/api/contract'
import { kebabCase } from '@cdn/kit/case'
import type { CommandGroup, Entry } from '../commands/program/declaration.ts'
import { toCommand } from './operation-command.ts'

/** The operations of the logging interface that `cdn logs` calls. They get no second command. */
const handWritten: ReadonlySet<string> = new Set(['logging.query-logs', 'logging.read-log-file'])

/**
 * Groups the operations of all interfaces into commands. For an interface of the specification, each area is a command of `cdn`
 * itself. An imported interface is one group, which contains its areas.
 */
export function operationGroups(): readonly Entry[] {
  return Object.values(contracts).flatMap((contract) => {
    if (contract.operations.length === 0) return []
    if (contract.source === 'spec') return areaGroups(contract, `${contract.title}:`)
    const name = kebabCase(contract.interface)
    return [group(name, contract.title, () => areaGroups(contract, undefined, [name]), 'Imported interfaces:')]
  })
}

/** The number of areas that have no operation. */
export function unspecifiedAreas(): number {
  return Object.values(contracts).flatMap((contract) =>
    contract.areas.filter(({ name }) => !contract.operations.some(({ area }) => area === name)),
  ).length
}

function areaGroups(contract: Contract, heading?: string, path: readonly string[] = []): readonly CommandGroup[] {
  const areas = contract.areas.flatMap(({ name }) => {
    const operations = contract.operations.filter(
      (operation) => operation.area === name && !handWritten.has(`${contract.interface}.${operation.name}`),
    )
    return operations.length === 0 ? [] : [{ name, operations, word: groupWord(name, operations) }]
  })
  return areas.map(({ name, operations, word: short }) => {
    const word = areas.some((other) => other.name !== name && other.word === short) ? kebabCase(name) : short
    const commands = () =>
      commandNames(word, operations).map(([command, operation]) => toCommand(operation, [...path, word, command]))
    return group(word, name, commands, heading)
  })
}

/**
 * The word of an area's group. It is the name of the area, without leading words that its operations omit: `video-library` for the
 * area Stream Video Library with the operation `get-video-library`. A single word would be too general.
 */
function groupWord(area: string, operations: readonly Operation[]): string {
  const full = kebabCase(area)
  const nouns = operations.map(({ name }) => singular(name.replace(/^[^-]*-?/, '')))
  return nouns.find((noun) => noun.includes('-') && singular(full).endsWith(`-${noun}`)) ?? full
}

/**
 * The names of a group's commands. A name that consists of a verb and the group's word becomes the verb: `pull-zone list` for
 * `list-pull-zones`. All other names stay whole, and so do two names that would become the same verb.
 */
function commandNames(word: string, operations: readonly Operation[]): readonly (readonly [string, Operation])[] {
  const shortOf = ({ name }: Operation) => {
    const [, verb = '', noun = ''] = /^([^-]+)-(.+)$/.exec(name) ?? []
    return singular(noun) === singular(word) ? verb : name
  }
  const counts = Map.groupBy(operations, shortOf)
  return operations.map((operation) => {
    const short = shortOf(operation)
    return [counts.get(short)?.length === 1 ? short : operation.name, operation]
  })
}

function singular(words: string): string {
  return words.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '')
}

/** @param entries called when the command line contains the group: an imported contract may have thousands of operations */
function group(name: string, summary: string, entries: () => readonly Entry[], heading?: string): CommandGroup {
  return { kind: 'group', name, summary, ...(heading !== undefined && { heading }), load: async () => entries() }
}
