/** The options that several commands share. They may also be given before the name of the command. */
import { type CommandUnknownOpts, Option } from '@commander-js/extra-typings'
import { outputFormats } from '../output/create-output.ts'
import { type CommandDescription, descriptionOf, option } from './command.ts'
import { choice, nonEmpty, profileName } from './value-type.ts'

/** The options, and whether a command takes them. */
const shared: readonly (readonly [Option, (of: CommandDescription) => true | undefined])[] = [
  [
    option(
      '-o, --output <format>',
      'Output format; by default table on a terminal, otherwise ndjson for a list and json for anything else',
      choice(...outputFormats),
    ),
    ({ hasOutput }) => hasOutput,
  ],
  [option('-q, --query <jmespath>', 'JMESPath expression that selects from the data', nonEmpty), (of) => of.hasOutput],
  [option('--columns <names>', 'Columns of a table or of CSV, comma-separated', nonEmpty), (of) => of.hasOutput],
  [new Option('--show-secrets', 'Show credentials in the data: of the account, and of visitors'), (of) => of.hasOutput],
  [
    option('--profile <name>', 'Profile to use instead of CDN_PROFILE and the environment', profileName),
    ({ isRemote, takesProfile }) => isRemote || takesProfile,
  ],
  [
    new Option('-v, --verbose', 'Log each request and response to standard error, without credentials'),
    ({ isRemote }) => isRemote,
  ],
  [new Option('--dry-run', 'Print the first request as a curl command and send nothing'), ({ isRemote }) => isRemote],
]

export const sharedOptions: readonly Option[] = shared.map(([each]) => each)

export const sharedNames = sharedOptions.map(({ long }) => String(long).slice(2))

/** Adds to a command, or to each command of a group, the shared options that it takes. */
export function addSharedOptions(command: CommandUnknownOpts): void {
  const known = descriptionOf(command)
  for (const inner of command.commands) addSharedOptions(inner)
  for (const [each, isTaken] of shared)
    if (known && isTaken(known)) command.addOption(each.helpGroup('Shared options:'))
}

/**
 * Removes from a command line the shared options that precede the names of a group and a command, because commander knows them only
 * after these names.
 *
 * @returns the other words, and the options with their values
 */
export function takeSharedOptions(words: readonly string[]) {
  const [line, options]: [string[], string[]] = [[...words], []]
  for (let [at, names] = [0, 0]; at < line.length && names < 2; ) {
    const word = line[at] ?? ''
    const known = findShared(word)
    if (known) options.push(...line.splice(at, known.required && !isAttached(word, known) ? 2 : 1))
    else if (word.startsWith('-')) break
    else [at, names] = [at + 1, names + 1]
  }
  return { line, options }
}

/** Finds the shared option of a word, which may also hold its value: `-o`, `-ocsv`, `--output=csv`. */
export function findShared(word: string): Option | undefined {
  return sharedOptions.find(
    (each) => word === each.short || word === each.long || (each.required && isAttached(word, each)),
  )
}

function isAttached(word: string, { short, long }: Option): boolean {
  const isShort = short !== undefined && word.startsWith(short) && word !== short && !word.startsWith('--')
  return isShort || word.startsWith(`${long}=`)
}
