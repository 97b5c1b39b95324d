import { outputFormats } from '../../output/output.ts'
import type { CommandDeclaration, Option } from './declaration.ts'
import { choice, named } from './value-type.ts'

/** Title of the options that many commands share. */
export const globalHeading = 'Global options:'
const heading = globalHeading

const remote = {
  profile: { value: named('NAME'), summary: 'Profile to use instead of CDN_PROFILE and the environment', heading },
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
  query: { value: named('JMESPATH'), summary: 'JMESPath expression that selects from the data', heading },
} satisfies Record<string, Option>

const sources = {
  sources: { summary: 'With --help: the section of the specification behind each statement', heading },
} satisfies Record<string, Option>

/** Names of the options of every command. A parameter with such a name becomes the option `--field-NAME`. */
export const sharedNames: ReadonlySet<string> = new Set(['help', ...Object.keys({ ...remote, ...output, ...sources })])

/** Name of the JMESPath option. It differs for commands whose own `--query` means something else. */
export function expressionName({ options }: CommandDeclaration): string {
  return 'query' in options ? 'jmespath' : 'query'
}

/** All options of a command: first its own, then the shared ones. */
export function optionsOf(command: CommandDeclaration): Readonly<Record<string, Option>> {
  const { query, ...others } = output
  return {
    ...command.options,
    ...(command.hasOutput && { ...others, [expressionName(command)]: query }),
    ...(command.isRemote && remote),
    ...(command.sources && sources),
  }
}
