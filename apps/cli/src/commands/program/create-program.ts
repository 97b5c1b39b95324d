import { createCommand, UsageError as LineError, runProgram } from '@cdn/kit/command-line'
import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import description from '../../../package.json' with { type: 'json' }
import { UsageError } from '../../terminal/command-error.ts'
import type { Writer } from '../../terminal/writer.ts'
import {
  addParagraphs,
  type CommandFacts,
  type Entry,
  factsOf,
  type Run,
  sharedOptions,
  sharedOptionsOf,
} from './command.ts'

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
  const program = await createProgram(
    root,
    words,
    out,
    (text) => (help += text),
    (chosen) => (run = chosen),
  )
  let command: CommandUnknownOpts = program
  program.hook('preAction', (_, action) => {
    command = action
  })
  const code = await runProgram(program, words).catch((error: unknown) => {
    throw error instanceof LineError ? new UsageError(error.message) : error
  })
  const facts = factsOf(command)
  if (!run || !facts) return { help, isMistake: code !== 0 }
  const misplaced = program.options.find(
    (option) => option.attributeName() in program.opts() && !sharedOptionsOf(command).includes(option),
  )
  if (misplaced) throw new UsageError(`cdn ${command.name()} has no option ${misplaced.long}.`)
  return { run, facts, options: command.optsWithGlobals() }
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
      showGlobalOptions: true,
      styleTitle: (title) => out.paint('bold', title),
      minWidthToWrap: 10,
      subcommandTerm: (command) => command.name(),
      // The help of a command begins with its summary.
      commandDescription: (command) => (command.commands.length > 0 ? command.description() : ''),
      visibleGlobalOptions: (command) => (factsOf(command) ? [...sharedOptionsOf(command)] : []),
    })
    .configureOutput({ getOutHelpWidth, getErrHelpWidth: getOutHelpWidth, getOutHasColors: () => out.hasColor })
  for (const option of sharedOptions) program.addOption(option)
  for (const { name, summary, heading = 'Commands:', build } of await root.entries(words)) {
    const command = program.command(name).summary(summary).description(summary).helpGroup(heading)
    if (words.includes(name)) await build(command, start)
  }
  if (program.commands.every((command) => !words.includes(command.name()))) addParagraphs(program, await root.notes())
  return program
}
