import { createCommand, UsageError as LineError, runProgram } from '@cdn/kit/command-line'
import type { Command, CommandUnknownOpts } from '@commander-js/extra-typings'
import description from '../../package.json' with { type: 'json' }
import { UsageError } from '../terminal/command-error.ts'
import type { Writer } from '../terminal/writer.ts'
import { addParagraphs, type CommandDescription, descriptionOf, type Entry, type Run } from './command.ts'
import { addSharedOptions, takeSharedOptions } from './shared-options.ts'
import { describeUnknown } from './unknown-command.ts'
import { alternatives } from './value-type.ts'

/** Result of parsing a command line: a command with its options, or a help text. */
export type Plan =
  | { readonly run: Run; readonly description: CommandDescription; readonly options: Readonly<Record<string, unknown>> }
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
  const { line, options } = takeSharedOptions(words)
  const print = (text: string) => (help += text)
  const program = await createProgram(root, line, out, print, (chosen) => (run = chosen))
  program.hook('preAction', (_, action) => {
    command = action
  })
  const { group, unknown } = readNames(program, line)
  if (unknown !== undefined) {
    const names = (await root.entries([])).map(({ name }) => name)
    const all = await createProgram({ ...root, entries: () => root.entries([]) }, names, out)
    throw new UsageError(describeUnknown(all, group === program ? [] : [group.name()], unknown))
  }
  // The help of a group takes no shared option. Everything else is checked by commander.
  const isHelp = line.every((word) => word === group.name() || /^(-h|--help|-V|--version)$/.test(word))
  const end = line.includes('--') ? line.indexOf('--') : line.length
  const parsed = group.commands.length > 0 && isHelp ? line : line.toSpliced(end, 0, ...options)
  const code = await runProgram(program, parsed).catch((error: unknown) => {
    throw error instanceof LineError ? new UsageError(withExpected(error.message, group)) : error
  })
  const description = command && descriptionOf(command)
  return run && description ? { run, description, options: command?.opts() ?? {} } : { help, isMistake: code !== 0 }
}

/** Finds the group or command that the first words name, and the next word if it names none. */
function readNames(program: CommandUnknownOpts, words: readonly string[]) {
  let group = program
  for (const word of words) {
    if (group.commands.length === 0 || word.startsWith('-')) break
    const next = group.commands.find((each) => each.name() === word)
    if (!next) return { group, unknown: word }
    group = next
  }
  return { group }
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
    })
    .configureOutput({ getOutHelpWidth, getErrHelpWidth: getOutHelpWidth, getOutHasColors: () => out.hasColor })
  for (const { name, summary, heading = 'Commands:', build } of await root.entries(words)) {
    const command = program.command(name).summary(summary).description(summary).helpGroup(heading).helpCommand(false)
    if (words.includes(name)) await build(command, start)
    addSharedOptions(command)
  }
  if (program.commands.every((command) => !words.includes(command.name()))) addParagraphs(program, await root.notes())
  return program
}
