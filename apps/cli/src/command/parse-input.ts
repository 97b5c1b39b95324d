import { UsageError } from '../errors/command-error.ts'
import type { Argument, Command, Input, Option } from './command.ts'
import { optionsOf } from './shared-options.ts'
import { suggest } from './suggest.ts'
import { listOf, type ValueType } from './value-type.ts'

type Written = Map<string, string[]>

/**
 * Reads the arguments of a command by its declaration. Options and arguments may be mixed; `--` ends the options; a value
 * follows its option as the next word or after `=`. (`parseArgs` of node:util knows neither types nor which option a value
 * belongs to when it fails.)
 *
 * @param words what follows the command's name
 * @param now the time that relative values count from
 * @returns the values, also those of shared options
 * @throws UsageError that names the option or argument, what it must be, and what it is
 */
export function parseInput(command: Command, words: readonly string[], now: Date): Input {
  const options = optionsOf(command)
  const { written, plain } = split(command, options, words, now)
  if (written.has('help')) return { arguments: {}, options: { help: true } }
  return { arguments: readArguments(command, plain, now), options: readOptions(options, written, now) }
}

function split(command: Command, options: Readonly<Record<string, Option>>, words: readonly string[], now: Date) {
  const written: Written = new Map()
  const plain: string[] = []
  if (command.isOpen) return { written, plain: [...words] }
  const left = [...words]
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') {
      plain.push(...left)
      break
    }
    // A negative number is a value; a lone hyphen is standard input.
    if (!word.startsWith('-') || word === '-' || /^-\d/.test(word)) {
      plain.push(word)
      continue
    }
    const [spelled = '', ...parts] = word.split('=')
    const inline = parts.length > 0 ? parts.join('=') : undefined
    const name = nameOf(spelled, options)
    const option = name === undefined ? undefined : options[name]
    if (name === undefined || !option) throw unknownOption(spelled, options)
    const values = written.get(name) ?? []
    written.set(name, values)
    if (!option.value) {
      if (inline !== undefined) throw new UsageError(`--${name} takes no value`)
      values.push('')
      continue
    }
    const { implied } = option.value
    const hasNone = left[0] === undefined || option.value.parse(left[0], now) === undefined
    if (implied !== undefined && inline === undefined && hasNone) {
      values.push(implied)
      continue
    }
    const value = inline ?? left.shift()
    if (value === undefined || (inline === undefined && looksLikeOption(value, options))) {
      throw new UsageError(`--${name} needs a value: ${option.value.must}`)
    }
    if (values.length > 0 && !option.repeat) throw new UsageError(`--${name} is given twice`)
    values.push(value)
  }
  return { written, plain }
}

/** A value that begins with a hyphen is fine unless it is an option that is known: then the value was forgotten. */
function looksLikeOption(word: string, options: Readonly<Record<string, Option>>): boolean {
  return nameOf(word.split('=')[0] ?? '', options) !== undefined
}

function nameOf(spelled: string, options: Readonly<Record<string, Option>>): string | undefined {
  if (spelled.startsWith('--')) return Object.hasOwn(options, spelled.slice(2)) ? spelled.slice(2) : undefined
  return Object.entries(options).find(([, { short }]) => short !== undefined && spelled === `-${short}`)?.[0]
}

function unknownOption(spelled: string, options: Readonly<Record<string, Option>>): UsageError {
  const near = suggest(spelled.replace(/^-+/, ''), Object.keys(options))
  return new UsageError(`There is no option ${spelled}. ${near ? `Did you mean --${near}?` : 'See --help.'}`)
}

function readOptions(options: Readonly<Record<string, Option>>, written: Written, now: Date): Input['options'] {
  const read: Record<string, unknown> = {}
  for (const [name, option] of Object.entries(options)) {
    const values = written.get(name)
    if (!option.value) {
      read[name] = values !== undefined
    } else if (values) {
      const { value } = option
      const parsed = values.map((text) => readValue(`--${name}`, value, text, now))
      read[name] = option.repeat ? parsed : parsed[0]
    } else if (option.required) {
      throw new UsageError(`--${name} ${option.value.placeholder} is missing: ${option.summary}`)
    } else {
      read[name] = option.repeat ? [] : option.default
    }
  }
  return read
}

function readArguments({ arguments: known }: Command, plain: readonly string[], now: Date): Input['arguments'] {
  const read: Record<string, unknown> = {}
  const left = [...plain]
  for (const [name, argument] of Object.entries(known)) {
    const label = argumentLabel(name, argument)
    if (argument.rest) {
      read[name] = left.splice(0).map((text) => readValue(label, argument.value, text, now))
      continue
    }
    const text = left.shift()
    if (text !== undefined) read[name] = readValue(label, argument.value, text, now)
    else if (!argument.optional) throw new UsageError(`${label} is missing: ${argument.value.must}. See --help.`)
  }
  if (left.length === 0) return read
  // What is too much is not repeated: it may be a key.
  const labels = Object.entries(known).map(([name, argument]) => argumentLabel(name, argument))
  const takes = labels.length === 0 ? 'no argument' : `${labels.join(' ')} and no more`
  throw new UsageError(
    `${plain.length === 1 ? '1 argument is' : `${plain.length} arguments are`} given, and the command takes ${takes}. See --help.`,
  )
}

function readValue(label: string, { parse, must, choices }: ValueType<unknown>, text: string, now: Date): unknown {
  const value = parse(text, now)
  if (value !== undefined) return value
  throw new UsageError(`${label} must be ${choices ? listOf(choices) : must}, not ${JSON.stringify(text)}`)
}

/** How an argument is called in usage lines and errors. */
export function argumentLabel(name: string, { rest }: Argument): string {
  const label = name.replaceAll(/([a-z\d])([A-Z])/g, '$1-$2').toUpperCase()
  return rest ? `${label}...` : label
}
