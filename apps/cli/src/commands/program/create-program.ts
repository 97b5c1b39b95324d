import { createCommand, UsageError as LineError, runProgram } from '@cdn/kit/command-line'
import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import description from '../../../package.json' with { type: 'json' }
import { UsageError } from '../../terminal/command-error.ts'
import type { Writer } from '../../terminal/writer.ts'
import { addParagraphs, addSharedOptions, type CommandFacts, type Entry, factsOf, type Run } from './command.ts'

/** What a command line asks for: a command with its options, or a help text. */
export type Plan =
  | { readonly run: Run; readonly facts: CommandFacts; readonly options: Readonly<Record<string, unknown>> }
  | { readonly run?: undefined; readonly help: string; readonly isMistake: boolean }

/** Where the commands of `cdn` come from. */
export interface Root {
  readonly summary: string
  /** @param words the command line; entries whose name is not among them may be omitted, unless it may have no name yet */
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
  const code = await runProgram(
    program,
    isUnknown(program, words) ? words.filter((word) => !isHelp(word)) : words,
  ).catch((error: unknown) => {
    throw error instanceof LineError ? new UsageError(error.message) : error
  })
  const facts = command && factsOf(command)
  return run && facts ? { run, facts, options: command?.opts() ?? {} } : { help, isMistake: code !== 0 }
}

const isHelp = (word: string) => word === '-h' || word === '--help'

/** Whether the first words name no command. Commander would print the help of the group instead of saying so. */
function isUnknown(program: CommandUnknownOpts, words: readonly string[]): boolean {
  let group = program
  for (const word of words) {
    if (group.commands.length === 0 || word.startsWith('-')) return false
    const next = group.commands.find((command) => command.name() === word)
    if (!next) return true
    group = next
  }
  return false
}

/**
 * Registers the commands with commander: all entries by name, and those on the command line with everything that they take. So `cdn
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
