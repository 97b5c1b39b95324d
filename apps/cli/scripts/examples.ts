/** The examples in the help, for tests and for the pages of the reference. */
import { allCommands } from '../src/commands/program/declaration.ts'
import { root } from '../src/commands/root.ts'

/** The first example in the help of the command of each operation. The key is `<interface>.<operation>`. */
export const operationExamples: ReadonlyMap<string, string> = await readExamples()

async function readExamples() {
  const examples = new Map<string, string>()
  for await (const { entry } of allCommands(root)) {
    if (entry.kind === 'command' && entry.operation !== undefined && entry.examples[0])
      examples.set(entry.operation, entry.examples[0].line)
  }
  return examples
}
