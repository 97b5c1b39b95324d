import type { CommandUnknownOpts } from '@commander-js/extra-typings'
import { closest, distance } from 'fastest-levenshtein'
import { descriptionOf } from './command.ts'
import { alternatives } from './value-type.ts'

const maxSuggestions = 4

/**
 * Describes a word that names no command, with the commands that the user may mean: commands of the group, or at the top of any group.
 *
 * @param program all commands
 * @param path names of the group; empty at the top
 */
export function describeUnknown(program: CommandUnknownOpts, path: readonly string[], word: string): string {
  const group = path.reduce((at, name) => at.commands.find((each) => each.name() === name) ?? at, program)
  const flags = path.length > 0 ? [] : program.options.map(({ long }) => String(long))
  const known = [...group.commands.flatMap((each) => pathsOf(each, path.length === 0)), ...flags]
  const text = `Unknown command ${JSON.stringify([...path, word].join(' '))}`
  const likely = similar(word, known).slice(0, maxSuggestions)
  if (likely.length > 0)
    return `${text}: did you mean ${alternatives(likely.map((name) => [...path, name].join(' ')))}?`
  const names = group.commands.map((each) => each.name())
  const isContract = group.commands.some((each) => descriptionOf(each)?.operation !== undefined && path[0] !== 'logs')
  return `${text}: expected ${alternatives(names)}.${isContract ? ' For another request: cdn api.' : ''}`
}

/** The name of a command. For a group at the top, also the names of its commands. */
function pathsOf(command: CommandUnknownOpts, isDeep: boolean): string[] {
  const inner = isDeep ? command.commands.map((each) => `${command.name()} ${each.name()}`) : []
  return [command.name(), ...inner]
}

/** The most similar names: those whose last part is the word, else those that contain it, else the closest one. */
function similar(word: string, known: readonly string[]): readonly string[] {
  const lastOf = (name: string) => name.replace(/^--|^.* /, '')
  const singular = word.replace(/s$/, '')
  const same = known.filter((name) => lastOf(name) === word)
  if (same.length > 0) return same
  const containing = known.filter((name) => lastOf(name).split('-').includes(singular))
  if (containing.length > 0) return containing
  const name = closest(word, known.map(lastOf))
  return distance(word, name) <= word.length / 2 ? known.filter((each) => lastOf(each) === name) : []
}
