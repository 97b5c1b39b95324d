import { outputFormats } from '../../output/output.ts'
import type { CommandDeclaration, Option } from './declaration.ts'
import { choice, named, pauseValue, profileName } from './value-type.ts'

/** Title of the options that many commands share. */
export const globalHeading = 'Global options:'
const heading = globalHeading

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
