import { formats } from '../output/output.ts'
import type { Command, Option } from './command.ts'
import { choice, named } from './value-type.ts'

const help = { help: { summary: 'Show this text', short: 'h' } } satisfies Record<string, Option>

const remote = {
  profile: { value: named('NAME'), summary: 'Use this profile instead of CDN_PROFILE and the variables' },
  verbose: { summary: 'Tell on standard error what is sent and answered, without credentials', short: 'v' },
  'dry-run': { summary: 'Print the first request as a curl command, the credential as a variable, and send nothing' },
} satisfies Record<string, Option>

const output = {
  output: {
    value: choice(...formats),
    summary: 'The format; table on a terminal, else json for one value and ndjson for a list',
    short: 'o',
  },
  query: { value: named('EXPRESSION'), summary: 'Print what a JMESPath expression finds in the data' },
} satisfies Record<string, Option>

/** Names that the options of every command share, so an operation's parameter of that name needs another one. */
export const sharedNames: ReadonlySet<string> = new Set(Object.keys({ ...help, ...remote, ...output }))

/** Another name for the expression where a command has its own `--query`. */
export const expressionName = 'jmespath'

/** All options of a command: its own, and those that it shares. */
export function optionsOf(command: Command): Readonly<Record<string, Option>> {
  const { query, ...others } = output
  const expression = { ['query' in command.options ? expressionName : 'query']: query }
  return {
    ...command.options,
    ...(command.hasOutput && { ...others, ...expression }),
    ...(command.isRemote && remote),
    ...help,
  }
}
