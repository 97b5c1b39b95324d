/** Command lines on commander: each mistake is one sentence, and a value is checked where it is parsed. */
import { Command, CommanderError, type CommandUnknownOpts, InvalidArgumentError } from '@commander-js/extra-typings'

/** A wrong command line. The message is one sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/**
 * Creates a command or a program. Parsing a wrong command line throws a CommanderError instead of ending the process.
 *
 * @param write prints help
 */
export function createCommand(name: string, write: (text: string) => void): Command {
  return new Command(name)
    .exitOverride()
    .allowExcessArguments(false)
    .helpOption('-h, --help', 'print this text')
    .helpCommand(false)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => {} })
}

/**
 * Parses arguments, and runs the action of the command that they name.
 *
 * @param args arguments without the names of the runtime and the script
 * @returns undefined after an action; otherwise the exit code: 0 if help or the version was requested, 2 if help was printed because no
 *   command was named
 * @throws UsageError for wrong arguments; the errors of the action
 */
export async function runProgram(program: CommandUnknownOpts, args: readonly string[]): Promise<0 | 2 | undefined> {
  try {
    await program.parseAsync(args, { from: 'user' })
    return undefined
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (['commander.helpDisplayed', 'commander.version'].includes(error.code)) return 0
    if (error.code === 'commander.help') return 2
    throw new UsageError(toSentence(error.message))
  }
}

/**
 * Turns commander's `error: option '--port <n>' argument 'x' is invalid. Expected ...` into one sentence. Surplus arguments and
 * values of unknown options are left out, because they may be keys.
 */
function toSentence(message: string): string {
  const text = message
    .replace(/^error: /, '')
    .replace(/\s+/g, ' ')
    .replace(/^(unknown option '--[^'=]*)=.*'/, "$1'")
    .replace(/\. Expected (\d+) arguments? but got \d+: .*/, ': expected $1')
    .replace(
      /( is invalid(?: for argument '[^']{0,99}')?)\. (\w)/,
      (_, what, first) => `${what}: ${first.toLowerCase()}`,
    )
    .replace(/^command-argument value ('.*') is invalid for argument '([^']*)'/s, 'argument <$2> $1 is invalid')
    .replace(/\.$/, '')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}

type Parse<T> = (text: string) => T

/**
 * Makes the parser of an option that may be given once.
 *
 * @param parse throws InvalidArgumentError for an invalid value; by default any text is valid that does not start with `--`
 */
export function once(): (text: string, previous: string | undefined) => string
export function once<T>(parse: Parse<T>): (text: string, previous: T | undefined) => T
export function once<T>(parse: Parse<T | string> = (text) => text) {
  return (text: string, previous: T | undefined): T | string => {
    if (previous !== undefined) throw new InvalidArgumentError('it is given twice')
    // If a value is missing, commander takes the next option as the value.
    if (text.startsWith('--')) throw new InvalidArgumentError('a value is missing')
    return parse(text)
  }
}

/** Makes the parser of an option whose values accumulate: `--allow a,b --allow c`. */
export function accumulate<T>(parse: Parse<T>): (text: string, previous: readonly T[] | undefined) => readonly T[] {
  return (text, previous = []) => {
    if (text.startsWith('--')) throw new InvalidArgumentError('a value is missing')
    return [...previous, ...text.split(',').map((part) => parse(part.trim()))]
  }
}

/** Makes a parser that accepts only the given texts. Throws InvalidArgumentError for any other. */
export function oneOf<T extends string>(allowed: readonly T[]): Parse<T> {
  return (text) => {
    const match = allowed.find((candidate) => candidate === text)
    if (match === undefined) throw new InvalidArgumentError(`expected one of ${allowed.join(', ')}`)
    return match
  }
}

/** Makes a parser of whole numbers from `min` to `max`, in decimal digits. Throws InvalidArgumentError for any other text. */
export function wholeNumber(min: number, max: number): Parse<number> {
  return (text) => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
    if (value >= min && value <= max) return value
    throw new InvalidArgumentError(`expected a whole number from ${min} to ${max}`)
  }
}
