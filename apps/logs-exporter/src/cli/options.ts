import { parseArgs } from 'node:util'
import type { Config, Shard } from '../config/config.ts'
import { isZoneId, parseListen } from '../config/formats.ts'
import { parseShard } from '../config/shard.ts'
import { ExporterConfigurationError } from '../errors.ts'
import type { ExportRange } from '../segments/segment.ts'

/** The command to run, with the path of the configuration. */
export type ExporterCommand = { readonly name: 'help' } | (Task & { readonly shard: Shard | undefined })

/** A command with its options. */
export type CommandOf<Name extends Task['name']> = Extract<Task, { readonly name: Name }>

type Task =
  | { readonly name: 'run'; readonly config: string; readonly listen: Config['listen'] | undefined }
  | { readonly name: 'config check'; readonly config: string }
  | { readonly name: 'status'; readonly config: string; readonly json: boolean }
  | {
      readonly name: 'backfill'
      readonly config: string
      /** Zones to export; all configured zones if empty. */
      readonly zones: readonly string[]
      readonly range: ExportRange
      /** Whether to read windows that are already in the sink again, to find late rows. */
      readonly again: boolean
    }
  | {
      readonly name: 'verify'
      readonly config: string
      /** Zones to verify; if empty, all configured zones and all zones in the sink. */
      readonly zones: readonly string[]
      /** Range to verify; everything in the sink if undefined. */
      readonly range: ExportRange | undefined
    }

export const usage = `cdn-logs-exporter: exports the request logs of pull zones; no row is lost or duplicated.

Usage: cdn-logs-exporter COMMAND --config FILE [options]

  run            exports all zones of the configuration until you stop it
  backfill       exports one range: --from TIME --to TIME [--zone ID]... [--again]
  verify         reads the sink and compares it with itself and with the platform: [--from TIME --to TIME] [--zone ID]...
  status         shows the progress of each zone, from the ledger: [--json]
  config check   checks the configuration, the secrets, the sink and the credential

  --config FILE  the configuration, YAML
  --shard I/N    only the zones of shard I of N (I starts at 0); default: CDN_SHARD
  --listen ADDR  address of metrics and health, such as 127.0.0.1:9464; default: the address in the configuration
  --from, --to   a time such as 2026-06-17T14:00:00Z; --to is exclusive
  --again        also reads windows again that are in the sink, and adds late rows
  --help         this text
  --version      the version

Exit codes: 0 done, 1 failed locally, 2 invalid configuration, 3 credentials refused, 6 data lost or a difference found,
130 interrupted.
`

const options = {
  config: { type: 'string' },
  shard: { type: 'string' },
  listen: { type: 'string' },
  again: { type: 'boolean' },
  zone: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
} as const

type Name = keyof typeof options

const supported: Readonly<Record<Exclude<ExporterCommand['name'], 'help'>, readonly Name[]>> = {
  run: ['config', 'shard', 'listen'],
  backfill: ['config', 'shard', 'zone', 'from', 'to', 'again'],
  verify: ['config', 'shard', 'zone', 'from', 'to'],
  status: ['config', 'shard', 'json'],
  'config check': ['config', 'shard'],
}

/**
 * Parses a command line.
 *
 * @param args without the paths of the runtime and the script
 * @param env `CDN_SHARD` is the default of `--shard`
 * @throws ConfigurationError with one sentence about an unknown, missing or contradictory option
 */
export function parseCommand(args: readonly string[], env: NodeJS.ProcessEnv = {}): ExporterCommand {
  const { values, words } = read(args)
  if (values.has('help') || words[0] === 'help') return { name: 'help' }
  const name = words.join(' ')
  if (!isCommand(name)) {
    const names = Object.keys(supported)
    throw new ExporterConfigurationError(
      `${name ? `Unknown command ${JSON.stringify(name)}` : 'Missing command'}: expected ${names.slice(0, -1).join(', ')} or ${names.at(-1)}.`,
    )
  }
  const stray = [...values.keys()].find((option) => !supported[name].includes(option))
  if (stray)
    throw new ExporterConfigurationError(
      `${name} does not support --${stray}; it supports ${supported[name].map((option) => `--${option}`).join(', ')}.`,
    )
  const config = one(values, 'config')
  if (config === undefined) throw new ExporterConfigurationError(`${name} needs --config FILE.`)
  return { ...toTask(name, config, values), shard: readShard(values, env) }
}

function toTask(name: keyof typeof supported, config: string, values: ReadonlyMap<Name, string[]>): Task {
  switch (name) {
    case 'run':
      return { name, config, listen: readListen(values) }
    case 'config check':
      return { name, config }
    case 'status':
      return { name, config, json: values.has('json') }
    case 'backfill': {
      const range = readRange(values)
      if (!range) throw new ExporterConfigurationError('backfill needs --from TIME and --to TIME.')
      return { name, config, zones: zonesOf(values), range, again: values.has('again') }
    }
    case 'verify':
      return { name, config, zones: zonesOf(values), range: readRange(values) }
  }
}

function isCommand(name: string): name is keyof typeof supported {
  return Object.hasOwn(supported, name)
}

function isName(name: string): name is Name {
  return Object.hasOwn(options, name)
}

function read(args: readonly string[]): { values: Map<Name, string[]>; words: string[] } {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  const values = new Map<Name, string[]>()
  const words: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    const { name } = token
    if (!isName(name)) throw new ExporterConfigurationError(`Unknown option ${token.rawName}; see --help.`)
    const takesValue = options[name].type === 'string'
    if (takesValue && !token.value) throw new ExporterConfigurationError(`--${name} needs a value.`)
    if (!takesValue && token.value !== undefined) throw new ExporterConfigurationError(`--${name} takes no value.`)
    values.set(name, [...(values.get(name) ?? []), token.value ?? ''])
  }
  return { values, words }
}

function one(values: ReadonlyMap<Name, string[]>, name: Name): string | undefined {
  const [first, second] = values.get(name) ?? []
  if (second !== undefined) throw new ExporterConfigurationError(`--${name} is given twice.`)
  return first
}

/** Drops repeated ids. */
function zonesOf(values: ReadonlyMap<Name, string[]>): string[] {
  const zones = new Set(values.get('zone'))
  for (const zone of zones) {
    if (isZoneId(zone)) continue
    throw new ExporterConfigurationError(
      `--zone must be the id of a pull zone, such as 123, not ${JSON.stringify(zone)}.`,
    )
  }
  return [...zones]
}

function readShard(values: ReadonlyMap<Name, string[]>, env: NodeJS.ProcessEnv): Shard | undefined {
  const flag = one(values, 'shard')
  if (flag !== undefined) return parseShard(flag, '--shard')
  return env['CDN_SHARD'] ? parseShard(env['CDN_SHARD'], 'The environment variable CDN_SHARD') : undefined
}

function readListen(values: ReadonlyMap<Name, string[]>): Config['listen'] | undefined {
  const text = one(values, 'listen')
  if (text === undefined) return undefined
  const address = parseListen(text)
  if (address) return address
  throw new ExporterConfigurationError(
    `--listen must be an address such as 127.0.0.1:9464, not ${JSON.stringify(text)}.`,
  )
}

function readRange(values: ReadonlyMap<Name, string[]>): ExportRange | undefined {
  const [from, to] = [readTime(values, 'from'), readTime(values, 'to')]
  if (from === undefined && to === undefined) return undefined
  if (from === undefined || to === undefined)
    throw new ExporterConfigurationError('--from and --to must be given together.')
  if (from >= to) throw new ExporterConfigurationError('--from must be before --to.')
  return { from, to }
}

function readTime(values: ReadonlyMap<Name, string[]>, name: 'from' | 'to'): number | undefined {
  const text = one(values, name)
  if (text === undefined) return undefined
  // A time without a time zone would depend on the machine.
  const [, day] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.exec(text) ?? []
  // Date.parse would take 31 February for 3 March.
  const isDay = day !== undefined && new Date(Date.parse(`${day}T00:00Z`) || 0).toISOString().startsWith(day)
  const time = isDay ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time))
    throw new ExporterConfigurationError(
      `--${name} must be a time such as 2026-06-17T14:00:00Z, not ${JSON.stringify(text)}.`,
    )
  return time
}
