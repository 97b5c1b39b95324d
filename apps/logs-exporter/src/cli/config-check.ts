import { createLoggingClient, LoggingError, timeout } from '@cdn/api'
import { queryPath } from '@cdn/api/batches'
import type { Config } from '../config/config.ts'
import { openDatabase } from '../fleet/postgres/database.ts'
import { openSink } from '../sinks/open-sink.ts'
import { exitCodes } from './exit-codes.ts'
import { clientOptions, describeFleetError, readFleetUrl } from './runtime.ts'

const minute = 60_000
/** How many zones are asked about at a time. */
const atOnce = 8
/** How long an answer may take, in ms: somebody waits for it. */
const patienceMs = 30_000

/**
 * Tries what can be tried without exporting: the secrets, the sink, the database of the fleet, and with one request for each
 * zone the credential.
 *
 * @param path of the configuration, for messages
 * @returns the exit code: 0, or 3 where the platform refuses a zone, 1 where it does not answer
 * @throws ConfigurationError, SinkError or pg's error in one sentence
 */
export async function checkConfig(
  config: Config,
  path: string,
  env: NodeJS.ProcessEnv,
  out: { write(text: string): unknown },
  signal: AbortSignal,
): Promise<number> {
  const say = (text: string) => out.write(`${path}: ${text}\n`)
  const sink = await openSink(config.sink, env)
  try {
    await sink.check(signal)
    say(`the sink can be used: ${sink.name}, ${sink.guarantee}`)
  } finally {
    await sink.close()
  }
  if (config.fleet) {
    const database = openDatabase(await readFleetUrl(config.fleet.postgres, env), {
      connections: 1,
      patienceMs: 10_000,
    })
    try {
      await database.query('select 1').catch((error) => {
        throw describeFleetError(error)
      })
      say('the database of the fleet answers')
    } finally {
      await database.close()
    }
    if (config.sink.type === 'files')
      say('with a fleet, files are safe only where all workers are on one machine, with one local disk')
  }
  return checkZones(config, env, say, signal)
}

async function checkZones(
  config: Config,
  env: NodeJS.ProcessEnv,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<number> {
  const client = createLoggingClient(await clientOptions(config, { env }))
  const left = [...config.zones]
  /** The zones of each trouble, which is said once. */
  const troubles = new Map<string, string[]>()
  let worst: number = exitCodes.done
  const ask = async () => {
    for (let zone = left.shift(); zone !== undefined; zone = left.shift()) {
      const to = Math.floor(Date.now() / minute) * minute
      const range = { from: new Date(to - minute).toISOString(), to: new Date(to).toISOString() }
      const { error } = await client.GET(queryPath, {
        params: { path: { pullZoneId: BigInt(zone) }, query: { ...range, limit: 1 } },
        signal,
        use: [timeout(patienceMs)],
      })
      signal.throwIfAborted()
      // A daemon beside may use the whole rate: then the platform has answered, too.
      if (!error || error.status === 429) continue
      const isRefused = error instanceof LoggingError && [401, 403].includes(error.status)
      const trouble = isRefused ? `the credential or the zone is refused (${error.status})` : error.message
      troubles.set(trouble, [...(troubles.get(trouble) ?? []), zone])
      worst = Math.max(worst, isRefused ? exitCodes.refused : exitCodes.failed)
      // Who does not answer for one zone will not for the others.
      if (error.status === undefined) left.length = 0
    }
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
  for (const [trouble, zones] of troubles) say(`zone${zones.length === 1 ? '' : 's'} ${zones.join(', ')}: ${trouble}`)
  if (worst === exitCodes.done)
    say(`the platform answers for ${config.zones.length === 1 ? 'the zone' : `all ${config.zones.length} zones`}`)
  return worst
}
