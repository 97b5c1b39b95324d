import { runProgram } from '@cdn/kit/command-line'
import { messageOf } from '@cdn/kit/error-message'
import { listenForInterruption } from '@cdn/kit/interruption'
import { createEmulator, type Emulator, type Listening } from '../emulator.ts'
import { loopback } from '../http/listen.ts'
import type { EmulatorCredentials } from '../platform/fixtures.ts'
import { type Likeness, readLikeness } from '../variants/likeness.ts'
import { type VariantPoint, variantTable } from '../variants/table.ts'
import type { Variants } from '../variants/variants.ts'
import { emulatorCommand, readStateFile } from './options.ts'

/** How long the process waits for connections to close after a signal, in milliseconds. */
const maxShutdownMs = 2000

/**
 * Serves until SIGINT or SIGTERM, then stops, even while bodies are streaming. If the process still runs two seconds later, or at a second
 * signal, it exits with code 130.
 *
 * @param argv arguments without the names of the runtime and the script
 * @returns the exit code: 0 after SIGINT, SIGTERM or help; 2 if the start failed (stderr then has the reason in one sentence)
 */
export async function runCli(argv: readonly string[]): Promise<number> {
  const command = emulatorCommand((text) => process.stdout.write(text))
  let emulator: Emulator
  let listening: Listening
  let likeness: Likeness | undefined
  try {
    const helped = await runProgram(command, argv)
    if (helped !== undefined) return helped
    const { allowHost: allowHosts = [], port = 0, host = loopback, cors = false, ...options } = command.opts()
    likeness = options.like === undefined ? undefined : await readLikeness(options.like)
    emulator = await createEmulator({
      clock: options.clock ?? 'real',
      ...(options.seed !== undefined && { seed: options.seed }),
      variants: { ...likeness?.variants, ...options.variant },
      ...(options.state !== undefined && { state: await readStateFile(options.state) }),
    })
    listening = await emulator.listen({ port, host, allowHosts, cors })
  } catch (error) {
    process.stderr.write(`cdn-emulator: ${messageOf(error)}\n`)
    return 2
  }
  if (likeness) process.stderr.write(describeLikeness(likeness, command.opts().variant))
  const ended = new Promise<void>((resolve) => listenForInterruption(resolve, { maxEndMs: maxShutdownMs }))
  const { json } = command.opts()
  process.stdout.write(json ? `${JSON.stringify(describe(emulator, listening))}\n` : greet(emulator, listening))
  await ended
  await listening.close()
  return 0
}

/** Describes the variants that come from a report and not from the command line. Those with the default value are only counted. */
function describeLikeness({ startedAt, followed, open, others }: Likeness, chosen: Partial<Variants> = {}): string {
  const used = followed.filter(({ name }) => !(name in chosen))
  const points: Readonly<Record<string, VariantPoint>> = variantTable
  const changed = used.filter(({ name, value }) => points[name]?.values[0] !== value)
  return [
    `Behaves as in the run of ${startedAt}:`,
    ...changed.map(({ name, value, seen }) => `  ${name} = ${value}: ${seen}`),
    `  ${used.length - changed.length} other points as by default`,
    'Cannot follow, so the default applies:',
    ...open.filter(({ name }) => !(name in chosen)).map(({ name, reason }) => `  ${name}: ${reason}`),
    `Observations that no variant follows: ${others.length}`,
    '',
  ].join('\n')
}

/** Returns the output of `--json`. `fixtures` has the form of a fixtures file. `env` has the variables that `fixtures` names. */
function describe({ fixtures }: Emulator, { managementUrl, loggingUrl }: Listening) {
  const { accessKey, bearer, expired, noScope, byScope, noScopeKey, keyByScope } = fixtures.credentials
  const env: Record<string, string> = {}
  const put = (name: string, value: string) => {
    env[name] = value
    return name
  }
  const putAll = (values: Readonly<Record<string, string>>, kind: string) =>
    Object.fromEntries(
      Object.entries(values).map(([scope, value]) => [scope, put(`CDN_SCOPE_${constantCase(scope)}_${kind}`, value)]),
    )
  const credentials: EmulatorCredentials = {
    accessKey: put('CDN_ACCESS_KEY', accessKey),
    bearer: put('CDN_BEARER_TOKEN', bearer),
    expired: put('CDN_EXPIRED_TOKEN', expired),
    noScope: put('CDN_NO_SCOPE_TOKEN', noScope),
    byScope: putAll(byScope, 'TOKEN'),
    noScopeKey: put('CDN_NO_SCOPE_KEY', noScopeKey),
    keyByScope: putAll(keyByScope, 'KEY'),
  }
  return {
    managementUrl: managementUrl.href,
    loggingUrl: loggingUrl.href,
    accessKey,
    bearerToken: bearer,
    fixtures: { ...fixtures, credentials },
    env,
  }
}

/** Converts `SubuserAPIStream` to `SUBUSER_API_STREAM`. */
function constantCase(name: string): string {
  return name.replaceAll(/([a-z\d])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4').toUpperCase()
}

function greet({ fixtures }: Emulator, { managementUrl, loggingUrl }: Listening): string {
  const key = fixtures.credentials.accessKey
  return `Management  ${managementUrl.origin}
Logging     ${loggingUrl.origin}
AccessKey   ${key}
Zones       ${fixtures.loggedZoneId} ${fixtures.otherLoggedZoneId}

  curl -H 'AccessKey: ${key}' '${loggingUrl.origin}/v2/pullzones/${fixtures.loggedZoneId}/logs?limit=3'

Press Ctrl+C to stop.
`
}
