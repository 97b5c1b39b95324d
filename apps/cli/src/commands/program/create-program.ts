import { kebabCase } from '@cdn/kit/case'
import { Argument, Command, Option } from 'commander'
import description from '../../../package.json' with { type: 'json' }
import type { Writer } from '../../terminal/writer.ts'
import type * as declared from './declaration.ts'
import { optionsOf, sharedOptions, splitShared } from './declaration.ts'
import { parserOf, type ValueType } from './value-type.ts'

/** Streams and callbacks of a program. */
export interface ProgramEnvironment {
  readonly out: Writer
  readonly now: () => Date
  readonly print: (text: string, stream: 'out' | 'err') => void
  readonly run: (command: declared.CommandDeclaration, input: declared.CommandValues) => Promise<void>
}

/** The program for one command line. */
export interface Program {
  readonly program: Command
  readonly path: readonly string[]
  /** The command line, with the shared options after the name of the command. */
  readonly line: readonly string[]
  readonly named: declared.CommandDeclaration | undefined
}

/**
 * Registers the declared commands with commander. Loads only the groups on the command line, so `cdn logs` does not load the
 * contract.
 *
 * @param root the tree of commands
 * @param words the command line, without the name of the program
 * @returns the program. Its parsing rejects with CommanderError for a usage error, and also after it has printed help
 */
export async function createProgram(
  root: declared.CommandGroup,
  words: readonly string[],
  surroundings: ProgramEnvironment,
): Promise<Program> {
  const { out, print } = surroundings
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
      writeOut: (text) => print(text, 'out'),
      writeErr: (text) => print(text, 'err'),
      outputError: () => {},
      getOutHelpWidth: () => Math.min(out.width(), 100),
      getErrHelpWidth: () => Math.min(out.width(), 100),
      getOutHasColors: () => out.hasColor,
      getErrHasColors: () => false,
    })
  // For help and suggestions; before parsing, these options are moved behind the command's name.
  for (const [name, option] of Object.entries(sharedOptions))
    program.addOption(toOption(name, option, surroundings.now))
  return { program, ...(await addGroup(program, root, words, surroundings)) }
}

async function addGroup(
  parent: Command,
  group: declared.CommandGroup,
  words: readonly string[],
  surroundings: ProgramEnvironment,
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
      addCommand(command, entry, surroundings)
      match = { path: [entry.name], line: [entry.name, ...rest], named: entry }
    } else {
      const { path, line, named } = await addGroup(command, entry, rest, surroundings)
      match = { path: [entry.name, ...path], line: [entry.name, ...line], named }
    }
  }
  await describeGroup(parent, group, match === undefined)
  return match ?? { path: [], line: remaining, named: undefined }
}

function addCommand(
  command: Command,
  declaration: declared.CommandDeclaration,
  { now, run }: ProgramEnvironment,
): void {
  const names = Object.keys(declaration.arguments)
  for (const [name, argument] of Object.entries(declaration.arguments)) {
    command.addArgument(toArgument(name, argument, now))
  }
  const parsed = Object.entries(optionsOf(declaration)).map(([name, entry]) => ({
    name,
    entry,
    option: toOption(name, entry, now),
  }))
  for (const { option } of parsed) command.addOption(option)
  describeCommand(command, declaration)
  command.action(async () => {
    const values = command.opts()
    const read = parsed.map(({ name, entry, option }) => {
      const value: unknown = values[option.attributeName()]
      // Commander stores `--no-check` as `check: false`.
      return [name, option.negate ? value === false : (value ?? emptyOf(entry))]
    })
    await run(declaration, {
      arguments: Object.fromEntries(names.map((name, index) => [name, command.processedArgs[index]])),
      options: Object.fromEntries(read),
    })
  })
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
