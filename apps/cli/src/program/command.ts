/** Facts of commands that commander cannot store, and the context of a running command. */

import type { Env } from '@cdn/kit/env'
import {
  Argument,
  type Command,
  type CommandUnknownOpts,
  InvalidArgumentError,
  Option,
} from '@commander-js/extra-typings'
import type { DataOutput } from '../output/create-output.ts'
import type { CommandPlatform } from '../target/platform.ts'
import type { Writer } from '../terminal/writer.ts'
import { duration, type ValueType } from './value-type.ts'

/** An example in the help. A test runs the examples that the emulator supports. 2002 is an emulated zone with logs. */
export interface Example {
  readonly text: string
  readonly line: string
  /** Whether the command runs until it is interrupted. The test interrupts it after the first output. */
  readonly isEndless?: true
}

/** What commander cannot store about a command. */
export interface CommandDescription {
  readonly examples: readonly Example[]
  readonly details?: readonly string[]
  readonly operation?: string
  /** Whether the command takes `--verbose` and `--dry-run`, because it calls the platform. */
  readonly isRemote?: true
  /** Whether the command takes `--profile`; by default, if it is remote. */
  readonly takesProfile?: true
  /** Whether the command prints data with `context.output`. Only such a command takes `--output`, `--query`, `--columns` and `--show-secrets`. */
  readonly hasOutput?: true
  /** Whether the command handles signals itself. Otherwise a signal aborts `context.signal`. */
  readonly handlesSignals?: true
}

/** The environment of a running command: streams, shared options, the platform and the signal that ends it. */
export interface CommandContext {
  readonly env: Env
  readonly out: Writer
  readonly err: Writer
  /** Opens standard input. A function, because opening takes time. */
  readonly stdin: () => NodeJS.ReadStream
  readonly output: DataOutput
  readonly profile: string | undefined
  readonly showsSecrets: boolean
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

/** @returns an exit code, or undefined for 0. `terminal/explain.ts` turns exceptions into a sentence and an exit code. */
export type Run = (context: CommandContext) => Promise<number> | Promise<void>

/** Called by the action of the command on the command line. Heavy modules are imported inside `run`, so that help stays quick. */
export type StartCommand = (run: Run) => void

/** A command of `cdn` itself. Only the entries on the command line are built. */
export interface Entry {
  readonly name: string
  readonly summary: string
  /** Heading in the help of `cdn`; "Commands:" by default. */
  readonly heading?: string
  /** Adds arguments, options and an action, or the commands of a group. */
  readonly build: (command: Command, start: StartCommand) => unknown
}

const descriptions = new WeakMap<CommandUnknownOpts, CommandDescription>()
const valueTypes = new WeakMap<object, ValueType<unknown>>()

/** The description of a command; undefined for a group. */
export const descriptionOf = (command: CommandUnknownOpts) => descriptions.get(command)
/** The type of an option's or argument's values; undefined for a flag. */
export const valueTypeOf = (option: object) => valueTypes.get(option)

/** Records the description of a command for `descriptionOf`. The examples follow the summary in the help, and the details are at its end. */
export function describe<C extends CommandUnknownOpts>(command: C, given: CommandDescription): C {
  descriptions.set(command, given)
  const lines = given.examples.map(({ text, line }) => `\n  # ${text}\n  ${line}`).join('')
  // Commander does not wrap a text with indented lines.
  command.configureHelp({
    ...command.configureHelp(),
    commandDescription: () =>
      `${wrap(command, command.summary())}\n\n${command.createHelp().styleTitle('Examples:')}${lines}`,
  })
  addParagraphs(command, given.details ?? [])
  return command
}

/** Adds paragraphs at the end of the help. */
export function addParagraphs(command: CommandUnknownOpts, texts: readonly string[]): void {
  if (texts.length > 0) command.addHelpText('after', () => `\n${texts.map((text) => wrap(command, text)).join('\n\n')}`)
}

function wrap(command: CommandUnknownOpts, text: string): string {
  return command.createHelp().boxWrap(text, command.configureOutput().getOutHelpWidth?.() ?? 80)
}

/** @param flags of commander, such as `-n, --limit <n>` */
export function option<const Flags extends string, T>(flags: Flags, summary: string, type: ValueType<T>) {
  return withType(new Option(flags, summary).argParser(parserOf(type)), type)
}

/** An option that may be given several times. Its value is a list; undefined if the option is not given. */
export function repeatable<const Flags extends string, T>(flags: Flags, summary: string, type: ValueType<T>) {
  const add = (text: string, previous: readonly T[] | undefined) => [...(previous ?? []), parserOf(type)(text)]
  return withType(new Option(flags, `${summary} (repeatable)`).argParser<readonly T[] | undefined>(add), type)
}

/** @param usage of commander, such as `<zone>` */
export function argument<const Usage extends string, T>(usage: Usage, summary: string, type: ValueType<T>) {
  return withType(new Argument(usage, summary).argParser(parserOf(type)), type)
}

function withType<O extends { argChoices?: string[] }>(given: O, type: ValueType<unknown>): O {
  valueTypes.set(given, type)
  if (type.choices && !type.isList) given.argChoices = [...type.choices]
  return given
}

function parserOf<T>({ parse, must }: ValueType<T>) {
  return (text: string): T => {
    const value = parse(text)
    if (value === undefined) throw new InvalidArgumentError(`Expected ${must}.`)
    return value
  }
}

/** Option of `cdn api` and of the commands of operations. A streamed response has no limit by default. */
export const timeoutOption = option(
  '--timeout <duration>',
  'Maximum time of the request with all retries (default: 2m; none for a download)',
  duration,
)
