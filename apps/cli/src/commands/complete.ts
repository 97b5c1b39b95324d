import type { Env } from '@cdn/kit/env'
import { terminalText } from '@cdn/kit/text'
import type { Command, CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { valueTypeOf } from '../program/command.ts'
import { sharedOptions } from '../program/shared-options.ts'
import type { ValueType } from '../program/value-type.ts'
import { cacheKeyOf, readNames } from '../target/name-cache.ts'
import { decideTarget } from '../target/platform.ts'
import { readProfiles } from '../target/profiles.ts'

/** What the shell adds: `files` names of files, `end` a space after the word, `open` nothing. The completion scripts obey it. */
type Ending = 'files' | 'end' | 'open'

type Suggestion = readonly [value: string, text: string]

/**
 * Suggests the last word of a command line.
 *
 * @param program has the commands that the earlier words name
 * @param env selects the account whose resources are suggested
 * @returns one line per suggestion (value, tab, text), then a line with a colon and the ending
 */
export async function complete(program: Command, words: readonly string[], env: Env): Promise<string> {
  const last = words.at(-1) ?? ''
  const typed = last === '""' ? '' : last // as the script for PowerShell writes an empty word
  const { command, operands, pending } = readWords(program, words.slice(0, -1))
  const [, name = '', value] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? []
  const option = pending ?? optionOf(command, name)
  if (option) return suggest(valueTypeOf(option), value ?? typed, env)
  if (typed.startsWith('-') && typed !== '-')
    return print(
      optionsOf(command).map(({ long, description }) => [long ?? '', description]),
      typed,
    )
  const argument = command.registeredArguments[operands]
  if (argument) return suggest(valueTypeOf(argument), typed, env)
  return print(operands > 0 ? [] : command.commands.map((each) => [each.name(), each.summary()]), typed)
}

/** Finds the command that complete words name, the number of its arguments, and the option whose value comes next. */
function readWords(program: CommandUnknownOpts, words: readonly string[]) {
  let [command, operands] = [program, 0]
  let pending: Option | undefined
  for (const word of words) {
    if (pending) {
      pending = undefined
      continue
    }
    const option = optionOf(command, word)
    const next = command.commands.find((each) => each.name() === word)
    if (next) command = next
    else if (!word.startsWith('-')) operands++
    if (option?.required) pending = option
  }
  return { command, operands, pending }
}

function optionOf(command: CommandUnknownOpts, word: string): Option | undefined {
  return optionsOf(command).find(({ short, long }) => word === short || word === long)
}

/** Before the name of a command, the shared options are also permitted. */
function optionsOf(command: CommandUnknownOpts): readonly Option[] {
  return command.commands.length > 0 ? [...command.options, ...sharedOptions] : command.options
}

async function suggest(type: ValueType<unknown> | undefined, typed: string, env: Env): Promise<string> {
  if (type?.completes === 'file') return ':files\n'
  const known = await knownValues(type, typed, env).catch(() => [])
  return print(known, typed, type?.isList || type?.completes === 'path' ? 'open' : 'end')
}

/** Names come from the cache: completion never sends a request. */
async function knownValues(type: ValueType<unknown> | undefined, typed: string, env: Env): Promise<Suggestion[]> {
  const { choices = [], suggestions = choices, completes, isList } = type ?? {}
  if (completes === 'profile') return Object.keys((await readProfiles(env)).profiles).map((name) => [name, ''])
  if (completes === 'path') return (await import('./api/match.ts')).knownPaths(typed).map((path) => [path, ''])
  if (typeof completes === 'object') {
    const known = await readNames(env, cacheKeyOf(await decideTarget(env, undefined), completes.list))
    return known.flatMap(({ id, name }) => [[name, String(id)] as const, [String(id), name] as const])
  }
  const before = isList ? typed.slice(0, typed.lastIndexOf(',') + 1) : ''
  return suggestions.filter((each) => !before.split(',').includes(each)).map((each) => [before + each, ''])
}

/** A text without characters that a shell expands: shells insert a suggestion as it is. */
const literal = /^[\w.,:@%+=/-]+$/

/** Formats the suggestions. Leaves out those that a shell could expand, because other users may have chosen the names. */
function print(suggestions: readonly Suggestion[], typed: string, ending: Ending = 'end'): string {
  const fitting = suggestions.filter(([value]) => value.startsWith(typed) && literal.test(value))
  return [...fitting.map(([value, text]) => `${value}\t${terminalText(text)}\n`), `:${ending}\n`].join('')
}
