import { parseArgs } from 'node:util'
import { type EmulatorConfig, readEmulatorConfig } from '../config/read-config.ts'
import { readVariant } from '../variants.ts'

/** Help of the command line. */
export const emulatorUsage = `cdn-emulator: the platform in memory.

Usage: cdn-emulator [options]

  --port N              management interface on port N, logging on N + 1 (default: two free ports)
  --host ADDRESS        address to listen on; 0.0.0.0 means all (default: 127.0.0.1)
  --allow-host NAME     host name under which /_emulator/ is reached, such as that of a container; repeatable
  --tls                 HTTPS with a new self-signed certificate
  --tls-key FILE, --tls-certificate FILE
                        HTTPS with your own key and certificate (PEM)
  --cors                allow requests from web pages of any origin
  --seed N              seed of the generated traffic (default: 1)
  --clock real|virtual  a virtual clock moves only by POST /_emulator/clock/advance (default: real)
  --variant NAME=VALUE  behaviour at a point that the specification leaves open; repeatable
  --state FILE          JSON or YAML file with the items of collections, in the form of GET /_emulator/state
  --config FILE         JSON file with options, variants, traffic and faults; command-line options override it
  --json                print one line of JSON when ready: addresses, credentials, fixtures
  --help                print this text

The control interface under /_emulator/ on both ports reads and changes variants, faults, rows, traffic, the journal and the
clock. It requires no credentials: with --host, everybody who can reach the address controls the emulator.
The emulator runs until SIGINT or SIGTERM. Exit codes: 0 stopped, 1 did not stop in time, 2 did not start.
`

const optionTypes = {
  port: 'string',
  host: 'string',
  'allow-host': 'string',
  tls: 'boolean',
  'tls-key': 'string',
  'tls-certificate': 'string',
  cors: 'boolean',
  seed: 'string',
  clock: 'string',
  variant: 'string',
  state: 'string',
  config: 'string',
  json: 'boolean',
  help: 'boolean',
} as const

type Name = keyof typeof optionTypes

/** The parsed command line. */
export interface CliOptions {
  readonly json: boolean
  readonly help: boolean
  readonly config: EmulatorConfig
}

/**
 * Reads the command line and the configuration file that `--config` names.
 *
 * @param argv arguments without the names of the runtime and the script
 * @throws Error in one sentence if an option or the file is invalid
 */
export async function readOptions(argv: readonly string[]): Promise<CliOptions> {
  const given = parse(argv)
  const single = (name: Name) => given.get(name)?.at(-1)
  const file = single('config')
  const fromFile = file === undefined ? {} : await readEmulatorConfig(file)
  const port = readInteger('--port', single('port'), 65_534)
  const seed = readInteger('--seed', single('seed'), Number.MAX_SAFE_INTEGER)
  const clock = readClock(single('clock'))
  const host = single('host')
  const tls = readTls(given.has('tls'), single('tls-key'), single('tls-certificate'))
  const allowHosts = given.get('allow-host')
  const state = single('state')
  const chosen = (given.get('variant') ?? []).map(readVariant)
  return {
    json: given.has('json'),
    help: given.has('help'),
    config: {
      clock: 'real',
      ...fromFile,
      ...(port !== undefined && { port }),
      ...(seed !== undefined && { seed }),
      ...(clock && { clock }),
      ...(host !== undefined && { host }),
      ...(allowHosts && { allowHosts }),
      ...(tls !== undefined && { tls }),
      ...(given.has('cors') && { cors: true }),
      ...(state !== undefined && { state }),
      variants: Object.assign({}, fromFile.variants, ...chosen),
    },
  }
}

/** Returns the values of each option, in order. For an option that takes no value, the value is empty. */
function parse(argv: readonly string[]): Map<Name, string[]> {
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(Object.entries(optionTypes).map(([name, type]) => [name, { type }])),
    strict: false,
    tokens: true,
  })
  const given = new Map<Name, string[]>()
  for (const token of tokens) {
    if (token.kind === 'positional')
      throw new RangeError(`Unexpected argument ${JSON.stringify(token.value)}; see --help`)
    if (token.kind !== 'option') continue
    if (!isName(token.name)) throw new RangeError(`Unknown option ${token.rawName}; see --help`)
    const { name } = token
    const takesValue = optionTypes[name] === 'string'
    if (takesValue && token.value === undefined) throw new RangeError(`${token.rawName} needs a value; see --help`)
    if (!takesValue && token.value !== undefined) throw new RangeError(`${token.rawName} takes no value; see --help`)
    given.set(name, [...(given.get(name) ?? []), token.value ?? ''])
  }
  return given
}

function isName(name: string): name is Name {
  return Object.hasOwn(optionTypes, name)
}

function readTls(selfSigned: boolean, key: string | undefined, certificate: string | undefined): EmulatorConfig['tls'] {
  if (key === undefined && certificate === undefined) return selfSigned ? true : undefined
  if (key !== undefined && certificate !== undefined) return { key, certificate }
  throw new RangeError('--tls-key and --tls-certificate must be given together')
}

function readClock(text: string | undefined): EmulatorConfig['clock'] {
  if (text === undefined || text === 'real' || text === 'virtual') return text
  throw new RangeError(`--clock must be real or virtual, not ${JSON.stringify(text)}`)
}

function readInteger(name: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value <= max) return value
  throw new RangeError(`${name} must be an integer from 0 to ${max}, not ${JSON.stringify(text)}`)
}
