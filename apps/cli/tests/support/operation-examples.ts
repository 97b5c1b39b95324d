import { contracts, type Operation } from '@cdn/api/contract'
import { kebabCase } from '@cdn/kit/case'
import { allCommands } from '../../src/commands/program/declaration.ts'
import { root } from '../../src/commands/root.ts'

/** The example that the help of each generated command prints, by its operation. */
export const operationExamples: ReadonlyMap<Operation, string> = await readExamples()

async function readExamples() {
  const examples = new Map<Operation, string>()
  const imported = new Map(
    Object.values(contracts).flatMap((contract) =>
      contract.source === 'spec' ? [] : [[kebabCase(contract.interface), contract] as const],
    ),
  )
  const stated = Object.values(contracts).filter(({ source }) => source === 'spec')
  for await (const { path, entry } of allCommands(root)) {
    const request = entry.kind === 'command' ? entry.details?.[0]?.match(/^Request: ([A-Z]+) (\S+)\. /) : undefined
    if (!request || entry.kind === 'group') continue
    const owner = imported.get(String(path[0]))
    const operation = (owner ? [owner] : stated)
      .flatMap(({ operations }) => operations)
      .find((known) => known.method.toUpperCase() === request[1] && known.path === request[2])
    if (operation && entry.examples[0]) examples.set(operation, entry.examples[0].line)
  }
  return examples
}
