import { type Area, contracts, type Operation } from '@cdn/api/contract'
import type { Group } from '../command/command.ts'
import { kebabCase } from './names.ts'
import { toCommand } from './operation-command.ts'

/** The areas of both interfaces as groups of commands: those with operations first. */
export function areaGroups(): readonly Group[] {
  const groups = Object.values(contracts).flatMap(({ areas, operations, title }) =>
    areas.map((area) =>
      toGroup(
        area,
        operations.filter((operation) => operation.area === area.name),
        title,
      ),
    ),
  )
  return [...groups.filter(({ isEmpty }) => !isEmpty), ...groups.filter(({ isEmpty }) => isEmpty)]
}

function toGroup(area: Area, operations: readonly Operation[], title: string): Group & { readonly isEmpty: boolean } {
  const isEmpty = operations.length === 0
  const count = operations.length === 1 ? '1 operation' : `${operations.length} operations`
  return {
    kind: 'group',
    name: kebabCase(area.name),
    summary: isEmpty ? `${area.name}: its operations are not shown (§1)` : `${area.name}: ${count}`,
    details: [
      isEmpty
        ? `The document names the area ${area.name} (§1) and shows none of its operations, so there are no commands yet. For a path that you know: cdn api --force.`
        : `Operations of the area ${area.name}. ${title}, §1 and §4.`,
    ],
    isEmpty,
    load: async () => operations.map(toCommand),
  }
}
