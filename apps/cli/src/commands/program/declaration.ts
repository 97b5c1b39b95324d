/** Declarations of commands. The program, its help and its completion are derived from them. */
import { type DataOutput, outputFormats } from '../../output/create-output.ts'
import type { CommandPlatform } from '../../target/platform.ts'
import type { Env } from '../../target/profiles.ts'
import type { Writer } from '../../terminal/writer.ts'
import { choice, named, pauseValue, profileName, type ValueType } from './value-type.ts'

export interface Argument<T = unknown> {
  readonly value: ValueType<T>
  readonly summary: string
  /** Only the last argument of a command may be optional. */
  readonly optional?: true
}

export interface Option<T = unknown> {
  /** Undefined for a flag. */
  readonly value?: ValueType<T>
  readonly summary: string
  readonly short?: string
  readonly required?: true
  readonly repeat?: true
  readonly default?: T
  readonly heading?: string
}

/** An example in the help. A test runs each example against a fresh emulator. 2002 is an emulated zone with logs. */
export interface Example {
  readonly text: string
  readonly line: string
  /** Whether the command runs until it is interrupted. The test interrupts it after the first output. */
  readonly isEndless?: true
}

/** The values of a command line, by their declared names. */
export interface CommandValues {
  readonly arguments: Readonly<Record<string, unknown>>
  readonly options: Readonly<Record<string, unknown>>
}

/** The value of an option whose type is text; undefined if it is omitted. */
export function textOption(options: CommandValues['options'], name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

/** What a command gets to run. */
export interface CommandContext {
  readonly env: Env
  readonly out: Writer
  readonly err: Writer
  /** Opens standard input. A function, because opening takes time. */
  readonly stdin: () => NodeJS.ReadStream
  readonly output: DataOutput
  readonly platform: CommandPlatform
  /**
   * Aborts if the command must end early: the user interrupts, the output is closed, or the request of a dry run is printed. The
   * command must then throw the signal's reason (a SilentEnd).
   */
  readonly signal: AbortSignal
  readonly now: () => Date
  /** Waits for a time in ms. If `signal` aborts, rejects with its reason. */
  readonly sleep: (ms: number) => Promise<void>
}

export interface CommandDeclaration {
  readonly kind: 'command'
  readonly name: string
  readonly summary: string
  readonly heading?: string
  readonly details?: readonly string[]
  readonly arguments: Readonly<Record<string, Argument>>
  readonly options: Readonly<Record<string, Option>>
  /** The operation that the command calls, such as `logging.query-logs`. */
  readonly operation?: string
  readonly examples: readonly Example[]
  /** Whether the command calls the platform. Such a command takes `--profile` and `--verbose`. */
  readonly isRemote?: true
  /** Whether the command prints data with `context.output`. Such a command takes `--output` and a JMESPath expression. */
  readonly hasOutput?: true
  /** Whether the command handles signals itself. Otherwise a signal aborts `context.signal`. */
  readonly handlesSignals?: true
  /** Whether the output never ends. Such output is not sent through a pager. */
  readonly isLive?: (options: CommandValues['options']) => boolean
  /** @returns an exit code, or undefined for 0. `terminal/explain.ts` turns exceptions into a sentence and an exit code. */
  readonly run: (context: CommandContext, input: CommandValues) => Promise<number> | Promise<void>
}

/** Commands under one word. They are loaded when the command line contains the word. */
export interface CommandGroup {
  readonly kind: 'group'
  readonly name: string
  readonly summary: string
  readonly heading?: string
  readonly notes?: () => Promise<readonly string[]>
  /** @param name next word of the command line; entries with other names may be omitted */
  readonly load: (name?: string) => Promise<readonly Entry[]>
}

export type Entry = CommandDeclaration | CommandGroup

type OptionValue<O> = O extends { readonly value: ValueType<infer T> }
  ? O extends { readonly repeat: true }
    ? readonly T[]
    : O extends { readonly required: true } | { readonly default: unknown }
      ? T
      : T | undefined
  : boolean

type ArgumentValue<A> = A extends { readonly value: ValueType<infer T> }
  ? A extends { readonly optional: true }
    ? T | undefined
    : T
  : never

/** The arguments and options of a declaration, with their types. */
export interface TypedInput<A, O> {
  readonly arguments: { readonly [Name in keyof A]: ArgumentValue<A[Name]> }
  readonly options: { readonly [Name in keyof O]: OptionValue<O[Name]> }
}

type Declaration<A, O> = Pick<CommandDeclaration, 'name' | 'summary'> &
  Partial<Omit<CommandDeclaration, 'kind' | 'arguments' | 'options' | 'run'>> & {
    readonly arguments?: A
    readonly options?: O
    readonly run: (context: CommandContext, input: TypedInput<A, O>) => Promise<number> | Promise<void>
  }

/**
 * Declares a command. Heavy modules are imported inside `run`, so that help and completion stay quick.
 *
 * @param declaration names, types and texts; `run` receives values of the declared types
 * @returns the command, for the list of a group
 */
export function defineCommand<
  const A extends Readonly<Record<string, Argument>> = Record<never, Argument>,
  const O extends Readonly<Record<string, Option>> = Record<never, Option>,
>(declaration: Declaration<A, O>): CommandDeclaration {
  return {
    kind: 'command',
    arguments: {},
    options: {},
    examples: [],
    ...declaration,
    // Safe: the program parses the values by the types of this declaration.
    run: declaration.run as unknown as CommandDeclaration['run'],
  }
}

/** Every command of a tree, with its path. */
export async function* allCommands(
  entry: Entry,
  path: readonly string[] = [],
): AsyncGenerator<{ readonly path: readonly string[]; readonly entry: Entry }> {
  yield { path, entry }
  if (entry.kind === 'command') return
  for (const next of await entry.load()) yield* allCommands(next, [...path, next.name])
}

const heading = 'Global options:'

/** For commands that send one request. Responses that are streamed have no limit by default. */
export const timeoutOption = {
  value: pauseValue,
  summary: 'Maximum time of the request with all retries (default: 2m; none for a download)',
} as const

const remote = {
  profile: { value: profileName, summary: 'Profile to use instead of CDN_PROFILE and the environment', heading },
  verbose: { summary: 'Log each request and response to standard error, without credentials', short: 'v', heading },
  'dry-run': { summary: 'Print the first request as a curl command and send nothing', heading },
} satisfies Record<string, Option>

const output = {
  output: {
    value: choice(...outputFormats),
    summary: 'Output format; by default table on a terminal, otherwise json for one value and ndjson for a list',
    short: 'o',
    heading,
  },
  query: { value: named('JMESPATH'), summary: 'JMESPath expression that selects from the data', short: 'q', heading },
} satisfies Record<string, Option>

/** The options that many commands share. They may stand before the name of a command. */
export const sharedOptions: Readonly<Record<string, Option>> = { ...output, ...remote }

/** Splits words after the shared options, and their values, at their start. */
export function splitShared(words: readonly string[]): { shared: readonly string[]; rest: readonly string[] } {
  let count = 0
  for (let word = words[0]; word !== undefined; word = words[count]) {
    const isNamed = ([name, { short }]: [string, Option]) =>
      /^--/.test(word) ? word.replace(/=.*/s, '') === `--${name}` : word.startsWith(`-${short}`)
    const option = Object.entries(sharedOptions).find(isNamed)?.[1]
    if (!option) break
    // `--output json`, `-o json`, `--output=json` or `-ojson`.
    count += option.value && (word.length === 2 || /^--[^=]*$/.test(word)) ? 2 : 1
  }
  return { shared: words.slice(0, count), rest: words.slice(count) }
}

/** Names of the options of every command. A parameter with such a name becomes the option `--field-NAME`. */
export const sharedNames: ReadonlySet<string> = new Set(['help', 'timeout', ...Object.keys(sharedOptions)])

/** All options of a command: first its own, then the shared ones. */
export function optionsOf(command: CommandDeclaration): Readonly<Record<string, Option>> {
  return { ...command.options, ...(command.hasOutput && output), ...(command.isRemote && remote) }
}
