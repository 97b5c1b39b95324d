import { UsageError } from '../errors/command-error.ts'
import type { Command, Entry, Group } from './command.ts'
import { suggest } from './suggest.ts'

/** What the words of a command line name. */
export interface Found {
  /** The names that lead there. */
  readonly path: readonly string[]
  readonly entry: Entry
  /** What follows the names. */
  readonly rest: readonly string[]
}

/**
 * Walks the tree along the words; a group is loaded only when its name was given.
 *
 * @param words the arguments, without the name of the program
 * @returns the command, or the group where words end or an option begins
 * @throws UsageError where a word names nothing, with the near one
 */
export async function findCommand(root: Group, words: readonly string[]): Promise<Found> {
  let entry: Entry = root
  const path: string[] = []
  let rest = words
  while (entry.kind === 'group') {
    const [word, ...others] = rest
    if (word === undefined || word.startsWith('-')) break
    const entries: readonly Entry[] = await entry.load(word)
    const next = entries.find(({ name }) => name === word)
    if (!next) throw unknownCommand(word, path, entries)
    entry = next
    path.push(word)
    rest = others
  }
  return { path, entry, rest }
}

function unknownCommand(word: string, path: readonly string[], entries: readonly Entry[]): UsageError {
  const names = entries.map(({ name }) => name)
  const place = ['cdn', ...path].join(' ')
  const near = suggest(word, names)
  const advice = near
    ? `Did you mean ${place} ${near}?`
    : names.length === 0
      ? 'The document shows no operation of this area.'
      : `See ${place} --help.`
  return new UsageError(`There is no command ${JSON.stringify(word)} in ${place}. ${advice}`)
}

/** Every command of a tree, with the names that lead there, in the order of the help. */
export async function* allCommands(
  entry: Entry,
  path: readonly string[] = [],
): AsyncGenerator<{ readonly path: readonly string[]; readonly entry: Command | Group }> {
  yield { path, entry }
  if (entry.kind === 'command') return
  for (const next of await entry.load()) yield* allCommands(next, [...path, next.name])
}
