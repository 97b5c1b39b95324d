import { kebabCase } from '@cdn/kit/case'
import { Argument, Command, CommanderError, Option } from 'commander'
import description from '../../../package.json' with { type: 'json' }
import type { Writer } from '../../terminal/writer.ts'
import type * as declared from './declaration.ts'
import { optionsOf, sharedOptions, splitShared } from './declaration.ts'
import { parserOf, type ValueType } from './value-type.ts'

/** What a program needs to print help and to parse relative times. */
export interface ProgramEnvironment {
  /** The terminal that decides width and colors of the help. */
  readonly out: Writer
  readonly now: () => Date
}

/** The program for one command line. */
export interface Program {
  readonly program: Command
  readonly path: readonly string[]
  /** The command line, with the shared options after the name of the command. */
  readonly line: readonly string[]
  readonly named: declared.CommandDeclaration | undefined
}

/** What a command line asks for: a command with its values, or a text that commander has already created. */
export type Plan =
  | { readonly command: declared.CommandDeclaration; readonly input: declared.CommandValues }
  | {
      readonly command?: undefined
      readonly help: string
      /** Whether the help was not asked for: the command line ends with the name of a group. */
      readonly isMistake: boolean
    }

/**
 * Parses a command line.
 *
 * @param root the tree of commands
 * @param words the command line, without the name of the program
 * @throws CommanderError for a usage error
 */
export async function parseCommandLine(
  root: declared.CommandGroup,
  words: readonly string[],
  environment: ProgramEnvironment,
): Promise<Plan> {
  let help = ''
  const { program, path, line, named } = await createProgram(root, words, environment, (text) => {
    help += text
  })
  const isUnknown = !named && line.filter((word) => !word.startsWith('-')).length > path.length
  // For the help of an unknown command, commander would show that of its group.
  const parsed = line.filter((word) => !isUnknown || !['--help', '-h'].includes(word))
  try {
    const command = lastCommand(await program.parseAsync(parsed, { from: 'user' }), path)
    return named && command ? { command: named, input: inputOf(command, named) } : { help, isMistake: true }
  } catch (error) {
    // Commander also throws after it has shown help.
    if (!(error instanceof CommanderError) || help === '') throw error
    return { help, isMistake: error.code === 'commander.help' }
  }
}

/**
 * Registers the declared commands with commander. Loads only the groups on the command line, so `cdn logs` does not load the
 * contract.
 *
 * @param print receives the help that commander shows
 * @returns the program. Its parsing rejects with CommanderError for a usage error, and also after it has printed help
 */
export async function createProgram(
  root: declared.CommandGroup,
  words: readonly string[],
  { out, now }: ProgramEnvironment,
  print: (help: string) => void = () => {},
): Promise<Program> {
  const program = new Command(root.name)
    .exitOverride()
    .enablePositionalOptions()
    .version(description.version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show the help of a command')
    .configureHelp({
      styleTitle: (title) => out.paint('bold', title),
      minWidthToWrap: 20,
      subcommandTerm: (command) => command.name(),
    })
    .configureOutput({
      writeOut: print,
      writeErr: print,
      outputError: () => {},
      getOutHelpWidth: () => Math.min(out.width(), 100),
      getErrHelpWidth: () => Math.min(out.width(), 100),
      getOutHasColors: () => out.hasColor,
      getErrHasColors: () => false,
    })
  // For help and suggestions; before parsing, these options are moved behind the command's name.
  for (const [name, option] of Object.entries(sharedOptions)) program.addOption(toOption(name, option, now))
  return { program, ...(await addGroup(program, root, words, now)) }
}

async function addGroup(
  parent: Command,
  group: declared.CommandGroup,
  words: readonly string[],
  now: () => Date,
): Promise<Omit<Program, 'program'>> {
  const { shared, rest: remaining } = splitShared(words)
  const [next, ...others] = remaining
  const rest = [...shared, ...others]
  let match: Omit<Program, 'program'> | undefined
  for (const entry of await group.load(next)) {
    const command = parent
      .command(entry.name)
      .summary(entry.summary)
      .description(entry.summary)
      .helpGroup(entry.heading ?? 'Commands:')
    if (entry.name !== next) continue
    if (entry.kind === 'command') {
      addCommand(command, entry, now)
      match = { path: [entry.name], line: [entry.name, ...rest], named: entry }
    } else {
      const { path, line, named } = await addGroup(command, entry, rest, now)
      match = { path: [entry.name, ...path], line: [entry.name, ...line], named }
    }
  }
  await describeGroup(parent, group, match === undefined)
  return match ?? { path: [], line: remaining, named: undefined }
}

function addCommand(command: Command, declaration: declared.CommandDeclaration, now: () => Date): void {
  for (const [name, argument] of Object.entries(declaration.arguments)) {
    command.addArgument(toArgument(name, argument, now))
  }
  for (const [name, option] of Object.entries(optionsOf(declaration))) command.addOption(toOption(name, option, now))
  describeCommand(command, declaration)
  command.action(() => {}) // `inputOf` reads the values after parsing
}

function lastCommand(program: Command, path: readonly string[]): Command | undefined {
  return path.reduce<Command | undefined>(
    (parent, name) => parent?.commands.find((command) => command.name() === name),
    program,
  )
}

function inputOf(command: Command, declaration: declared.CommandDeclaration): declared.CommandValues {
  const values = command.opts()
  const options = Object.entries(optionsOf(declaration)).map(([name, entry]) => {
    const option = new Option(`--${name}`)
    const value: unknown = values[option.attributeName()]
    // Commander stores `--no-check` as `check: false`.
    return [name, option.negate ? value === false : (value ?? emptyOf(entry))]
  })
  const names = Object.keys(declaration.arguments)
  return {
    arguments: Object.fromEntries(names.map((name, index) => [name, command.processedArgs[index]])),
    options: Object.fromEntries(options),
  }
}

function emptyOf(option: declared.Option): unknown {
  if (option.value) return option.repeat ? [] : undefined
  return false
}

function toArgument(name: string, { value, summary, optional }: declared.Argument, now: () => Date): Argument {
  const label = kebabCase(name)
  const argument = new Argument(optional ? `[${label}]` : `<${label}>`, summary)
  if (value.choices) argument.choices([...value.choices])
  return argument.argParser(parserOf(value, now))
}

function toOption(name: string, option: declared.Option, now: () => Date): Option {
  const { short, summary, heading } = option
  const spelling = `${short === undefined ? '' : `-${short}, `}--${name}`
  if (!option.value) return new Option(spelling, summary).helpGroup(heading ?? 'Options:')
  const { value, repeat, required } = option
  const placeholder = value.placeholder.toLowerCase()
  const result = new Option(
    `${spelling} ${value.isOptional ? `[${placeholder}]` : `<${placeholder}>`}`,
    repeat ? `${summary} (repeatable)` : summary,
  ).helpGroup(heading ?? 'Options:')
  if (value.choices && !value.isOptional) result.choices([...value.choices])
  if (option.default !== undefined) result.default(option.default)
  return result.argParser(collect(value, repeat, now)).makeOptionMandatory(required ?? false)
}

/** Commander's parser of an option. For a list, commander calls it once per value, with the list so far. */
function collect(value: ValueType<unknown>, isList: boolean | undefined, now: () => Date) {
  const parse = parserOf(value, now)
  return isList
    ? (text: string, previous: unknown) => [...(Array.isArray(previous) ? previous : []), parse(text)]
    : parse
}

/** Adds the parts of the help that commander lacks. The description and the examples come first, the details after the options. */
export function describeCommand(command: Command, declaration: declared.CommandDeclaration): void {
  const { summary, details = [], examples } = declaration
  // Commander would print the description after the usage line. The description itself is still set, because completion and the
  // lists of commands use it.
  command.configureHelp({ ...command.configureHelp(), commandDescription: () => '' })
  command.addHelpText(
    'before',
    () => `${wrap(command, summary)}\n\n${title(command, 'Examples:')}\n${listOf(examples)}\n`,
  )
  addParagraphs(command, details)
}

/**
 * Adds the summary of a group. Also adds the group's notes if this call may show the group's own help.
 *
 * @param isLast whether the command line ends with this group and does not name one of its entries
 */
export async function describeGroup(command: Command, group: declared.CommandGroup, isLast: boolean): Promise<void> {
  const notes = (isLast && (await group.notes?.())) || []
  command.description(group.summary)
  addParagraphs(command, notes)
}

function addParagraphs(command: Command, texts: readonly string[]): void {
  if (texts.length === 0) return
  command.addHelpText('after', () => `\n${texts.map((text) => wrap(command, text)).join('\n\n')}`)
}

function listOf(examples: readonly declared.Example[]): string {
  return examples.map(({ text, line }) => `  # ${text}\n  ${line}\n`).join('')
}

function title(command: Command, text: string): string {
  return command.createHelp().styleTitle(text)
}

function wrap(command: Command, text: string): string {
  const { getOutHelpWidth } = command.configureOutput()
  return command.createHelp().boxWrap(text, getOutHelpWidth?.() ?? 80)
}
