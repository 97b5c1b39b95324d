import { kebabCase } from '@cdn/kit/case'
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import description from '../../../package.json' with { type: 'json' }
import type { Writer } from '../../terminal/writer.ts'
import type * as declared from './declaration.ts'
import { optionsOf, sharedOptions, splitShared } from './declaration.ts'
import type { ValueType } from './value-type.ts'

/** What a program needs to print help and to parse relative times. */
export interface ProgramEnvironment {
  /** The terminal that decides width and colors of the help. */
  readonly out: Writer
  readonly now: () => Date
}

/** The program for one command line. */
export type Program = Awaited<ReturnType<typeof createProgram>>

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
    await program.parseAsync(parsed, { from: 'user' })
    return named
      ? { command: named.declaration, input: inputOf(named.command, named.declaration) }
      : { help, isMistake: true }
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
 * @returns the program, the names of the groups and the command on the line, the line with the shared options after these names, and
 *   the command: its declaration, and its registration with commander. The program's parsing rejects with CommanderError for a usage
 *   error, and also after it has printed help
 */
export async function createProgram(
  root: declared.CommandGroup,
  words: readonly string[],
  { out, now }: ProgramEnvironment,
  print: (help: string) => void = () => {},
) {
  const program = new Command(root.name)
    .description(root.summary)
    .exitOverride()
    .enablePositionalOptions()
    .version(description.version, '-V, --version', 'Print the version')
    .helpOption('-h, --help', 'Show help')
    .helpCommand('help [command]', 'Show the help of a command')
    .configureHelp({
      styleTitle: (title) => out.paint('bold', title),
      minWidthToWrap: 20,
      subcommandTerm: (command) => command.name(),
      // The help of a command begins with its description. It is still set, because completion uses it.
      commandDescription: (command) => (command.commands.length > 0 ? command.description() : ''),
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
  const path: string[] = []
  let [group, parent, left] = [root, program, words]
  for (;;) {
    const { shared, rest } = splitShared(left)
    const [next, ...others] = rest
    const entries = await group.load(next)
    const commands = entries.map(({ name, summary, heading = 'Commands:' }) =>
      parent.command(name).summary(summary).description(summary).helpGroup(heading),
    )
    const index = entries.findIndex(({ name }) => name === next)
    const [entry, command] = [entries[index], commands[index]]
    if (!entry || !command) {
      // The notes belong to the group's own help, which cannot be shown if the line names one of its entries.
      addParagraphs(parent, (await group.notes?.()) ?? [])
      return { program, path, line: [...path, ...rest] }
    }
    path.push(entry.name)
    left = [...shared, ...others]
    if (entry.kind === 'command') {
      addCommand(command, entry, now)
      return { program, path, line: [...path, ...left], named: { declaration: entry, command } }
    }
    group = entry
    parent = command
  }
}

function addCommand(command: Command, declaration: declared.CommandDeclaration, now: () => Date): void {
  for (const [name, argument] of Object.entries(declaration.arguments)) {
    command.addArgument(toArgument(name, argument, now))
  }
  for (const [name, option] of Object.entries(optionsOf(declaration))) command.addOption(toOption(name, option, now))
  command.action(() => {}) // `inputOf` reads the values after parsing
  const { summary, details = [], examples } = declaration
  const lines = examples.map(({ text, line }) => `  # ${text}\n  ${line}\n`).join('')
  command.addHelpText(
    'before',
    () => `${wrap(command, summary)}\n\n${command.createHelp().styleTitle('Examples:')}\n${lines}\n`,
  )
  addParagraphs(command, details)
}

function addParagraphs(command: Command, texts: readonly string[]): void {
  if (texts.length === 0) return
  command.addHelpText('after', () => `\n${texts.map((text) => wrap(command, text)).join('\n\n')}`)
}

function wrap(command: Command, text: string): string {
  return command.createHelp().boxWrap(text, command.configureOutput().getOutHelpWidth?.() ?? 80)
}

function inputOf(command: Command, declaration: declared.CommandDeclaration): declared.CommandValues {
  const values = command.opts()
  const options = Object.entries(optionsOf(declaration)).map(([name, { value: type, repeat }]) => {
    const option = new Option(`--${name}`)
    const value: unknown = values[option.attributeName()]
    // Commander stores `--no-check` as `check: false`.
    if (option.negate) return [name, value === false]
    return [name, value ?? (repeat ? [] : type ? undefined : false)]
  })
  const names = Object.keys(declaration.arguments)
  return {
    arguments: Object.fromEntries(names.map((name, index) => [name, command.processedArgs[index]])),
    options: Object.fromEntries(options),
  }
}

function toArgument(name: string, { value, summary, optional }: declared.Argument, now: () => Date): Argument {
  const label = kebabCase(name)
  const argument = new Argument(optional ? `[${label}]` : `<${label}>`, summary)
  if (value.choices) argument.choices([...value.choices])
  return argument.argParser(parserOf(value, now))
}

function toOption(name: string, option: declared.Option, now: () => Date): Option {
  const { value, short, summary, heading = 'Options:', repeat, required = false } = option
  const spelling = `${short === undefined ? '' : `-${short}, `}--${name}`
  if (!value) return new Option(spelling, summary).helpGroup(heading)
  const placeholder = value.placeholder.toLowerCase()
  const result = new Option(
    `${spelling} ${value.isOptional ? `[${placeholder}]` : `<${placeholder}>`}`,
    repeat ? `${summary} (repeatable)` : summary,
  )
  if (value.choices && !value.isOptional) result.choices([...value.choices])
  if (option.default !== undefined) result.default(option.default)
  return result
    .helpGroup(heading)
    .argParser(parserOf(value, now, repeat))
    .makeOptionMandatory(required)
}

/** Commander's parser of a value. For a list, commander calls it once per value, with the list so far. */
function parserOf({ parse, must }: ValueType<unknown>, now: () => Date, isList = false) {
  return (text: string, previous: unknown): unknown => {
    const value = parse(text, now())
    if (value === undefined) throw new InvalidArgumentError(`Expected ${must}.`)
    return isList ? [...(Array.isArray(previous) ? previous : []), value] : value
  }
}
