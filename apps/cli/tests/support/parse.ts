import { createProgram } from '../../src/commands/program/create-program.ts'
import type { CommandDeclaration, CommandValues } from '../../src/commands/program/declaration.ts'
import { createWriter } from '../../src/terminal/writer.ts'
import { createStream } from './cli.ts'

export interface Parsed {
  /** The values; undefined if help was shown. */
  readonly input: CommandValues | undefined
  readonly help: string
}

/**
 * Parses words for a single command.
 *
 * @throws CommanderError for a usage error
 */
export async function parse(command: CommandDeclaration, words: readonly string[], now: Date): Promise<Parsed> {
  let input: CommandValues | undefined
  let help = ''
  const group = { kind: 'group', name: 'cdn', summary: 'Test', load: async () => [command] } as const
  const line = [command.name, ...words]
  const { program } = await createProgram(group, line, {
    out: { ...createWriter(createStream(100).stream), width: () => 100 },
    now: () => now,
    print: (text) => {
      help += text
    },
    run: async (_command, values) => {
      input = values
    },
  })
  await program.parseAsync(line, { from: 'user' }).catch((thrown) => {
    if (help === '') throw thrown
  })
  return { input, help }
}
