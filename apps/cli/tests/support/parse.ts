import { assertDefined } from '@cdn/kit/assert-defined'
import { runProgram } from '@cdn/kit/command-line'
import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import type { Entry } from '../../src/program/command.ts'
import { createProgram } from '../../src/program/create-program.ts'
import { createWriter } from '../../src/terminal/writer.ts'
import { createStream } from './cli.ts'

/**
 * Parses the words after the command's name, for a group whose entry builds exactly one command.
 *
 * @returns the command, with its values
 * @throws UsageError for an invalid command line
 */
export async function parse(build: Entry['build'], words: readonly string[]): Promise<CommandUnknownOpts> {
  const entries = async () => [{ name: 'things', summary: 'Things', build }]
  const root = { summary: 'Test', notes: async () => [], entries }
  const program = await createProgram(root, ['things'], createWriter(createStream(100).stream))
  const group = assertDefined(program.commands.find((command) => command.name() === 'things'))
  const command = assertDefined(group.commands[0])
  await runProgram(program, ['things', command.name(), ...words])
  return command
}
