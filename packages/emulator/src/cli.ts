import { parseArgs } from 'node:util'
import { createEmulator, type Emulator, type Listening } from './emulator.ts'
import type { Credentials, Fixtures } from './fixtures.ts'

const usage = `cdn-emulator: the platform in memory.

Usage: cdn-emulator [options]

  --port N   management interface on port N, logging on N + 1 (default: two free ports)
  --seed N   seed of the traffic (default: 1)
  --clock C  real, or virtual: moved by POST /_emulator/clock/advance (default: real)
  --json     one line of JSON when ready: addresses, credentials, fixtures
  --help     this text

Faults, rows, the journal and the clock are reached under /_emulator/ on both ports.
It serves until SIGINT or SIGTERM. Exit codes: 0 ended, 1 could not end in time, 2 not started.
`

interface CliOptions {
  readonly port: number
  readonly seed: number
  readonly clock: 'virtual' | 'real'
  readonly json: boolean
  readonly help: boolean
}

/** How long connections have to end once the process is told to, in milliseconds. */
const longestEnd = 2000

/**
 * Serves until the process is told to end; then it ends within two seconds, whatever is streaming.
 *
 * @param argv arguments without the names of the runtime and the script
 * @returns the exit code: 0 after SIGINT or SIGTERM, 2 where it could not start, with one sentence on stderr
 */
export async function runCli(argv: readonly string[]): Promise<number> {
  let emulator: Emulator
  let listening: Listening
  let options: CliOptions
  try {
    options = parseOptions(argv)
    if (options.help) {
      process.stdout.write(usage)
      return 0
    }
    emulator = await createEmulator({ seed: options.seed, clock: options.clock })
    listening = await emulator.listen({ port: options.port })
  } catch (error) {
    process.stderr.write(`cdn-emulator: ${error instanceof Error ? error.message : String(error)}\n`)
    return 2
  }
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  process.stdout.write(options.json ? `${JSON.stringify(describe(emulator, listening))}\n` : greet(emulator, listening))
  await ended
  // Not waited for: it strikes only where something keeps the process alive.
  setTimeout(() => process.exit(1), longestEnd).unref()
  await listening.close()
  return 0
}

function parseOptions(argv: readonly string[]): CliOptions {
  const known = { port: 'string', seed: 'string', clock: 'string', json: 'boolean', help: 'boolean' } as const
  const { values, tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(Object.entries(known).map(([name, type]) => [name, { type }])),
    strict: false,
    tokens: true,
  })
  for (const token of tokens) {
    if (token.kind === 'positional')
      throw new RangeError(`There is no argument ${JSON.stringify(token.value)}; see --help`)
    if (token.kind !== 'option') continue
    if (!Object.hasOwn(known, token.name)) throw new RangeError(`There is no option ${token.rawName}; see --help`)
    const takesValue = known[token.name as keyof typeof known] === 'string'
    if (takesValue && token.value === undefined) throw new RangeError(`${token.rawName} needs a value; see --help`)
    if (!takesValue && token.value !== undefined) throw new RangeError(`${token.rawName} takes no value; see --help`)
  }
  return {
    port: readInteger('--port', values['port'], 0, 0, 65_534),
    seed: readInteger('--seed', values['seed'], 1, 0, Number.MAX_SAFE_INTEGER),
    clock: readClock(values['clock']),
    json: values['json'] === true,
    help: values['help'] === true,
  }
}

function readClock(text: unknown = 'real'): CliOptions['clock'] {
  if (text === 'real' || text === 'virtual') return text
  throw new RangeError(`--clock must be real or virtual, not ${JSON.stringify(text)}`)
}

function readInteger(name: string, text: unknown, otherwise: number, least: number, most: number): number {
  if (text === undefined) return otherwise
  const value = /^\d+$/.test(String(text)) ? Number(text) : Number.NaN
  if (value >= least && value <= most) return value
  throw new RangeError(`${name} must be an integer from ${least} to ${most}, not ${JSON.stringify(text)}`)
}

/** The line of `--json`. `fixtures` is a fixtures file as it is; `env` holds the variables that it names. */
function describe({ fixtures }: Emulator, { managementUrl, loggingUrl }: Listening) {
  const { names, env } = nameCredentials(fixtures.credentials)
  const named: Omit<Fixtures, 'credentials'> & { credentials: Credentials } = { ...fixtures, credentials: names }
  return {
    managementUrl: managementUrl.href,
    loggingUrl: loggingUrl.href,
    accessKey: fixtures.credentials.accessKey,
    bearerToken: fixtures.credentials.bearer,
    fixtures: named,
    env,
  }
}

function nameCredentials({ byScope, ...single }: Credentials): { names: Credentials; env: Record<string, string> } {
  const variables = {
    accessKey: 'CDN_ACCESS_KEY',
    bearer: 'CDN_BEARER_TOKEN',
    expired: 'CDN_EXPIRED_TOKEN',
    noScope: 'CDN_NO_SCOPE_TOKEN',
  } as const
  const scopes = Object.keys(byScope).map((scope) => [scope, `CDN_SCOPE_${constantCase(scope)}_TOKEN`] as const)
  const env = {
    ...Object.fromEntries(
      Object.entries(variables).map(([name, variable]) => [variable, single[name as keyof typeof single]]),
    ),
    ...Object.fromEntries(scopes.map(([scope, variable]) => [variable, byScope[scope] ?? ''])),
  }
  return { names: { ...variables, byScope: Object.fromEntries(scopes) }, env }
}

/** `SubuserAPIStream` as `SUBUSER_API_STREAM`. */
function constantCase(name: string): string {
  return name.replaceAll(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4').toUpperCase()
}

function greet({ fixtures }: Emulator, { managementUrl, loggingUrl }: Listening): string {
  const key = fixtures.credentials.accessKey
  return `Management  ${managementUrl.origin}
Logging     ${loggingUrl.origin}
AccessKey   ${key}

  curl -H 'AccessKey: ${key}' '${loggingUrl.origin}/v2/pullzones/${fixtures.loggedZoneId}/logs?limit=3'

Ctrl+C ends it.
`
}
