import { type Contract, contracts } from '@cdn/api/contract'
import { kebabCase } from '@cdn/kit/case'
import type { CommandGroup, Entry } from '../commands/program/declaration.ts'
import { toCommand } from './operation-command.ts'

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

/** The areas that have no operation. */
export function unspecifiedAreas(): readonly string[] {
  return Object.values(contracts).flatMap((contract) =>
    contract.areas.filter(({ name }) => operationsOf(contract, name).length === 0).map(({ name }) => name),
  )
}

function areaGroups(contract: Contract, heading?: string, path: readonly string[] = []): readonly CommandGroup[] {
  return contract.areas.flatMap(({ name }) => {
    const operations = operationsOf(contract, name)
    const word = kebabCase(name)
    const commands = () => operations.map((operation) => toCommand(operation, [...path, word]))
    return operations.length === 0 ? [] : [group(word, name, commands, heading)]
  })
}

function operationsOf({ operations }: Contract, area: string) {
  return operations.filter((operation) => operation.area === area)
}

/** @param entries called when the command line contains the group: an imported contract may have thousands of operations */
function group(name: string, summary: string, entries: () => readonly Entry[], heading?: string): CommandGroup {
  return { kind: 'group', name, summary, ...(heading !== undefined && { heading }), load: async () => entries() }
}
