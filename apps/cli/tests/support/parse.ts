import { parseCommandLine } from '../../src/commands/program/create-program.ts'
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
  const group = { kind: 'group', name: 'cdn', summary: 'Test', load: async () => [command] } as const
  const out = { ...createWriter(createStream(100).stream), width: () => 100 }
  const plan = await parseCommandLine(group, [command.name, ...words], { out, now: () => now })
  return plan.command ? { input: plan.input, help: '' } : { input: undefined, help: plan.help }
}
