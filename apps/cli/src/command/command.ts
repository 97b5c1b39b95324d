/** How a command is declared. Parser, help, completion and documentation all read these declarations. */
import type { Context } from '../context/context.ts'
import type { ValueType } from './value-type.ts'

/** An argument that stands without a name. */
export interface Argument<T = unknown> {
  readonly value: ValueType<T>
  /** One line, without a full stop at the end. */
  readonly summary: string
  /** The last one of a command may be left out. */
  readonly optional?: true
  /** The last one of a command may take all that follows. */
  readonly rest?: true
}

/** An option without a value. */
export interface Flag {
  readonly value?: undefined
  readonly summary: string
  readonly short?: string
}

/** An option with a value. */
export interface ValueOption<T = unknown> {
  readonly value: ValueType<T>
  readonly summary: string
  /** One letter. */
  readonly short?: string
  readonly required?: true
  /** May be given more than once; the values are a list. */
  readonly repeat?: true
  readonly default?: T
  /** Who states the parameter, where it is not the document: shown in help. */
  readonly ground?: 'supplement'
}

export type Option = Flag | ValueOption

/** An example of the help. All of them run in a test, against a fresh emulator and its ids (2002 is a zone with logs). */
export interface Example {
  /** What it does, as a short phrase. */
  readonly text: string
  /** A line for a POSIX shell; `cdn` is on the PATH. */
  readonly line: string
  /** Goes on until it is interrupted, so the test does that after the first output. */
  readonly isEndless?: true
  /** The exit code that is right, where it is not 0, or 130 of an endless one. */
  readonly exitCode?: number
}

/** What a command was given, by the names of its declaration. */
export interface Input {
  readonly arguments: Readonly<Record<string, unknown>>
  readonly options: Readonly<Record<string, unknown>>
}

export interface Command {
  readonly kind: 'command'
  readonly name: string
  /** One line, without a full stop at the end. */
  readonly summary: string
  /** Paragraphs for the command's own help. */
  readonly details?: readonly string[]
  readonly arguments: Readonly<Record<string, Argument>>
  /** Names are kebab-case, as typed without the hyphens. */
  readonly options: Readonly<Record<string, Option>>
  readonly examples: readonly Example[]
  /** Talks to the platform: takes `--profile` and `--verbose`. */
  readonly isRemote: boolean
  /** Prints data by `context.output`: takes `--output` and an expression. */
  readonly hasOutput: boolean
  /** Takes all that follows its name as it is, also what looks like an option. */
  readonly isOpen: boolean
  /** Ends in its own way when it is told to; otherwise `context.signal` fires. */
  readonly handlesSignals: boolean
  readonly run: (context: Context, input: Input) => Promise<number> | Promise<void>
}

/** Commands under one word. They are loaded when the word was given. */
export interface Group {
  readonly kind: 'group'
  readonly name: string
  readonly summary: string
  readonly details?: readonly string[]
  /** @param wanted a name that is looked for: where it is among some of the entries, these are enough */
  readonly load: (wanted?: string) => Promise<readonly Entry[]>
}

export type Entry = Command | Group

type OptionValue<O> = O extends { readonly value: ValueType<infer T> }
  ? O extends { readonly repeat: true }
    ? readonly T[]
    : O extends { readonly required: true } | { readonly default: unknown }
      ? T
      : T | undefined
  : boolean

type ArgumentValue<A> = A extends { readonly value: ValueType<infer T> }
  ? A extends { readonly rest: true }
    ? readonly T[]
    : A extends { readonly optional: true }
      ? T | undefined
      : T
  : never

/** The arguments and options of a declaration, with their types. */
export interface TypedInput<A, O> {
  readonly arguments: { readonly [Name in keyof A]: ArgumentValue<A[Name]> }
  readonly options: { readonly [Name in keyof O]: OptionValue<O[Name]> }
}

interface Declaration<A, O> {
  readonly name: string
  readonly summary: string
  readonly details?: readonly string[]
  readonly arguments?: A
  readonly options?: O
  readonly examples?: readonly Example[]
  readonly isRemote?: boolean
  readonly hasOutput?: boolean
  readonly isOpen?: boolean
  readonly handlesSignals?: boolean
  /** @returns nothing, or an exit code; what it throws becomes a sentence and an exit code (`errors/explain.ts`) */
  readonly run: (context: Context, input: TypedInput<A, O>) => Promise<number> | Promise<void>
}

/**
 * Declares a command. Heavy modules are imported inside `run`, so that help and completion stay quick.
 *
 * @param declaration names, types and texts; `run` gets the values in the types that are declared
 * @returns the command, for the list that a group loads
 */
export function defineCommand<
  const A extends Readonly<Record<string, Argument>> = Record<never, Argument>,
  const O extends Readonly<Record<string, Option>> = Record<never, Option>,
>(declaration: Declaration<A, O>): Command {
  return {
    kind: 'command',
    arguments: {},
    options: {},
    examples: [],
    isRemote: false,
    hasOutput: false,
    isOpen: false,
    handlesSignals: false,
    ...declaration,
    run: declaration.run as unknown as Command['run'],
  }
}
