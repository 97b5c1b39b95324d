/** The commands and their examples, for tests and for the pages of the reference. */
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { root } from '../src/commands/root.ts'
import { type CommandDescription, descriptionOf } from '../src/program/command.ts'
import { createProgram } from '../src/program/create-program.ts'
import { createWriter } from '../src/terminal/writer.ts'

export interface ListedCommand {
  /** The names of the group and of the command. */
  readonly path: readonly string[]
  readonly description: CommandDescription
}

/** All commands of `cdn`, in the order of the help. */
export const commands: readonly ListedCommand[] = await readCommands()

/** The first example in the help of the command of each operation. The key is `<interface>.<operation>`. */
export const operationExamples: ReadonlyMap<string, string> = new Map(
  commands.flatMap(({ description: { operation, examples } }) =>
    operation !== undefined && examples[0] ? [[operation, examples[0].line] as const] : [],
  ),
)

async function readCommands(): Promise<ListedCommand[]> {
  const names = (await root.entries([])).map(({ name }) => name)
  const out = createWriter({ write: () => true, on: () => undefined })
  const program = await createProgram({ ...root, entries: () => root.entries([]) }, names, out)
  const withPath = (command: CommandUnknownOpts, path: readonly string[]): ListedCommand[] => {
    const description = descriptionOf(command)
    return description
      ? [{ path, description }]
      : command.commands.flatMap((next) => withPath(next, [...path, next.name()]))
  }
  return withPath(program, [])
}
