import { parseArgs } from 'node:util'
import { ConfigurationError } from '../config/configuration-error.ts'

/** A range of time, in ms since 1970; `to` is exclusive. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** What is to be done, with the path of the configuration. */
export type Command =
  | { readonly name: 'help' }
  | { readonly name: 'run' | 'config check'; readonly config: string }
  | { readonly name: 'status'; readonly config: string; readonly json: boolean }
  | {
      readonly name: 'backfill'
      readonly config: string
      /** Those of the configuration where it is empty. */
      readonly zones: readonly string[]
      readonly range: Range
    }
  | {
      readonly name: 'verify'
      readonly config: string
      readonly zones: readonly string[]
      /** Everything that the sink has where it is absent. */
      readonly range: Range | undefined
    }

export const usage = `cdn-logs-exporter: takes the request logs of pull zones out of the platform, no row lost, none doubled.

Usage: cdn-logs-exporter COMMAND --config FILE [options]

  run            exports all zones of the configuration until it is told to end
  backfill       exports one range: --from TIME --to TIME [--zone ID]...
  verify         reads the sink and compares it with itself and with the platform: [--from TIME --to TIME] [--zone ID]...
  status         says where each zone is, from the ledger: [--json]
  config check   checks the configuration, the secrets, the sink and the credential

  --config FILE  the configuration, YAML
  --from, --to   such as 2026-06-17T14:00:00Z; to is exclusive
  --help         this text

Exit codes: 0 done, 1 failed here, 2 configuration, 3 credentials refused, 6 ranges lost or a difference found,
130 interrupted.
`

const options = {
  config: { type: 'string' },
  zone: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

type Name = keyof typeof options

const takes: Readonly<Record<Exclude<Command['name'], 'help'>, readonly Name[]>> = {
  run: ['config'],
  backfill: ['config', 'zone', 'from', 'to'],
  verify: ['config', 'zone', 'from', 'to'],
  status: ['config', 'json'],
  'config check': ['config'],
}

/**
 * Reads a command line.
 *
 * @param args without the names of the runtime and the script
 * @throws ConfigurationError in one sentence for anything unknown, missing or contradictory
 */
export function parseCommand(args: readonly string[]): Command {
  const { values, words } = read(args)
  if (values.has('help') || words[0] === 'help') return { name: 'help' }
  const name = words.join(' ')
  if (!isCommand(name)) {
    const known = Object.keys(takes).join(', ')
    throw new ConfigurationError(
      `${name ? `There is no command ${JSON.stringify(name)}` : 'A command is missing'}; there are ${known}.`,
    )
  }
  const stray = [...values.keys()].find((option) => !takes[name].includes(option))
  if (stray)
    throw new ConfigurationError(
      `--${stray} is no option of ${name}; those are ${takes[name].map((option) => `--${option}`).join(', ')}.`,
    )
  const config = one(values, 'config')
  if (config === undefined) throw new ConfigurationError(`${name} needs --config FILE.`)
  switch (name) {
    case 'run':
    case 'config check':
      return { name, config }
    case 'status':
      return { name, config, json: values.has('json') }
    case 'backfill': {
      const range = readRange(values)
      if (!range) throw new ConfigurationError('backfill needs --from TIME and --to TIME.')
      return { name, config, zones: zonesOf(values), range }
    }
    case 'verify':
      return { name, config, zones: zonesOf(values), range: readRange(values) }
  }
}

function isCommand(name: string): name is keyof typeof takes {
  return Object.hasOwn(takes, name)
}

function read(args: readonly string[]): { values: Map<Name, string[]>; words: string[] } {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  const values = new Map<Name, string[]>()
  const words: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    if (!Object.hasOwn(options, token.name))
      throw new ConfigurationError(`There is no option ${token.rawName}; see --help.`)
    const name = token.name as Name
    const takesValue = options[name].type === 'string'
    if (takesValue && !token.value) throw new ConfigurationError(`--${name} needs a value.`)
    if (!takesValue && token.value !== undefined) throw new ConfigurationError(`--${name} takes no value.`)
    values.set(name, [...(values.get(name) ?? []), token.value ?? ''])
  }
  return { values, words }
}

function one(values: ReadonlyMap<Name, string[]>, name: Name): string | undefined {
  const [first, second] = values.get(name) ?? []
  if (second !== undefined) throw new ConfigurationError(`--${name} is given twice.`)
  return first
}

/** Who names a zone twice means it once. */
function zonesOf(values: ReadonlyMap<Name, string[]>): string[] {
  return [...new Set(values.get('zone'))]
}

function readRange(values: ReadonlyMap<Name, string[]>): Range | undefined {
  const [from, to] = [readTime(values, 'from'), readTime(values, 'to')]
  if (from === undefined && to === undefined) return undefined
  if (from === undefined || to === undefined) throw new ConfigurationError('--from and --to belong together.')
  if (from >= to) throw new ConfigurationError('--from must be before --to.')
  return { from, to }
}

function readTime(values: ReadonlyMap<Name, string[]>, name: 'from' | 'to'): number | undefined {
  const text = one(values, name)
  if (text === undefined) return undefined
  // A time without its zone would mean another moment on another machine.
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text)
  const time = isTime ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time))
    throw new ConfigurationError(`--${name} must be a time such as 2026-06-17T14:00:00Z, not ${JSON.stringify(text)}.`)
  return time
}
