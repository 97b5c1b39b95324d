import { createCommand, UsageError as LineError, runProgram } from '@cdn/kit/command-line'
import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import description from '../../package.json' with { type: 'json' }
import { UsageError } from '../terminal/command-error.ts'
import type { Writer } from '../terminal/writer.ts'
import { addParagraphs, addSharedOptions, type CommandFacts, type Entry, factsOf, type Run } from './command.ts'
import { alternatives } from './value-type.ts'

/** Result of parsing a command line: a command with its options, or a help text. */
export type Plan =
  | { readonly run: Run; readonly facts: CommandFacts; readonly options: Readonly<Record<string, unknown>> }
  | { readonly run?: undefined; readonly help: string; readonly isMistake: boolean }

/** The root command: its summary, and functions that load the commands and the notes of its help. */
export interface Root {
  readonly summary: string
  /** @param words the command line; if its first word names a built-in entry, other entries may be omitted */
  readonly entries: (words: readonly string[]) => Promise<readonly Entry[]>
  readonly notes: () => Promise<readonly string[]>
}

/**
 * Parses a command line.
 *
 * @param words the command line, without the name of the program
 * @param out the terminal that decides width and colors of the help
 * @throws UsageError with one sentence
 */
export async function parseCommandLine(root: Root, words: readonly string[], out: Writer): Promise<Plan> {
  let help = ''
  let run: Run | undefined
  let command: CommandUnknownOpts | undefined
  const print = (text: string) => (help += text)
  const program = await createProgram(root, words, out, print, (chosen) => (run = chosen))
  program.hook('preAction', (_, action) => {
    command = action
  })
  const named = readNames(program, words)
  // With --help, commander would print the help of the group instead of refusing an unknown command.
  const parsed = named.isUnknown ? words.filter((word) => word !== '-h' && word !== '--help') : words
  const code = await runProgram(program, parsed).catch((error: unknown) => {
    throw error instanceof LineError ? new UsageError(withExpected(error.message, named.command)) : error
  })
  const facts = command && factsOf(command)
  return run && facts ? { run, facts, options: command?.opts() ?? {} } : { help, isMistake: code !== 0 }
}

/** Finds the command that the first words name, and whether the next word names none. */
function readNames(program: CommandUnknownOpts, words: readonly string[]) {
  let command = program
  for (const word of words) {
    if (command.commands.length === 0 || word.startsWith('-')) break
    const next = command.commands.find((each) => each.name() === word)
    if (!next) return { command, isUnknown: true }
    command = next
  }
  return { command, isUnknown: false }
}

/** Adds the choices or the description of a missing argument to the error message. */
function withExpected(message: string, command: CommandUnknownOpts): string {
  const [, name] = /^Missing required argument '([^']+)'/.exec(message) ?? []
  const argument = command.registeredArguments.find((each) => each.name() === name)
  if (!argument) return message
  const { argChoices, description } = argument
  return `Missing argument <${name}>: ${argChoices ? `expected ${alternatives(argChoices)}` : description}.`
}

/**
 * Registers the commands with commander: all entries by name, and those on the command line with their arguments and options. So `cdn
 * logs` does not load the contract.
 *
 * @param print receives the help
 * @param start receives the command to run
 */
export async function createProgram(
  root: Root,
  words: readonly string[],
  out: Writer,
  print: (help: string) => unknown = () => {},
  start: (run: Run) => unknown = () => {},
) {
  const getOutHelpWidth = () => Math.min(out.width(), 100)
  const program: Command = createCommand('cdn', print)
    .description(root.summary)
    .version(description.version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .configureHelp({
      styleTitle: (title) => out.paint('bold', title),
      minWidthToWrap: 10,
      subcommandTerm: (command) => command.name(),
      // The help of a command begins with its summary.
      commandDescription: (command) => (command.commands.length > 0 ? command.description() : ''),
    })
    .configureOutput({ getOutHelpWidth, getErrHelpWidth: getOutHelpWidth, getOutHasColors: () => out.hasColor })
  for (const { name, summary, heading = 'Commands:', build } of await root.entries(words)) {
    const command = program.command(name).summary(summary).description(summary).helpGroup(heading)
    if (words.includes(name)) await build(command, start)
    addSharedOptions(command)
  }
  if (program.commands.every((command) => !words.includes(command.name()))) addParagraphs(program, await root.notes())
  return program
}
