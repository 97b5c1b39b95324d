import { ApiError, createLoggingClient, withTimeout } from '@cdn/api'
import { queryPath } from '@cdn/api/batches'
import type { Config } from '../config/config.ts'
import { openReceiver } from '../deliver/open-receiver.ts'
import { isForbidden } from '../engine/failure.ts'
import { toError } from '../errors.ts'
import { minuteBefore } from '../reader/api-reader.ts'
import { describeOffset } from '../reader/server-clock.ts'
import { openSink } from '../sinks/open-sink.ts'
import { type ExporterContext, exporterExitCodes } from './context.ts'
import type { CommandOf } from './options.ts'
import { clientOptions } from './runtime.ts'

/** Maximum number of concurrent requests. */
const atOnce = 8
/** Timeout per request, in ms. It is short because a user waits. */
const timeoutMs = 30_000

/**
 * Tests everything that can be tested without an export: the secrets, the sink, the deliveries, and, with one request per zone, the credential and
 * the clock.
 *
 * @returns the exit code: 0 if all is right; 3 if the platform refuses a zone; 1 if the platform does not answer
 * @throws ConfigurationError, SinkError or DeliveryError with a message of one sentence
 */
export async function checkConfig(
  config: Config,
  command: CommandOf<'config check'>,
  { env, out, signal }: ExporterContext,
): Promise<number> {
  const say = (text: string) => out.write(`${command.config}: ${text}\n`)
  const sink = await openSink(config.sink, env)
  try {
    await sink.check(signal)
    say(`the sink can be used: ${sink.name}`)
  } finally {
    await sink.close()
  }
  for (const delivery of config.deliver) {
    await (await openReceiver(delivery, env)).check(signal)
    // Without rows, an HTTP receiver of unknown kind can only be checked for its headers.
    say(`the delivery ${delivery.name} ${delivery.type === 'http' ? 'has valid headers' : 'can be used'}`)
  }
  return checkZones(config, env, say, signal)
}

async function checkZones(
  config: Config,
  env: NodeJS.ProcessEnv,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<number> {
  const options = await clientOptions(config, { env })
  const client = createLoggingClient({ ...options, wrap: [withTimeout(timeoutMs)] })
  const left = [...config.zones]
  /** The zones that failed with each message. Each message is printed once. */
  const failures = new Map<string, string[]>()
  let worst: number = exporterExitCodes.done
  let offset = 0
  const ask = async () => {
    for (let zone = left.shift(); zone !== undefined; zone = left.shift()) {
      const params = { path: { pullZoneId: BigInt(zone) }, query: { ...minuteBefore(Date.now()), limit: 1 } }
      const call = await client.GET(queryPath, { params, signal }).catch((cause) => ({ failure: toError(cause) }))
      signal.throwIfAborted()
      const failure =
        'failure' in call ? call.failure : call.response.ok ? undefined : new ApiError(call.response, call.error)
      const shown = 'failure' in call ? Number.NaN : Date.parse(call.response.headers.get('Date') ?? '')
      if (!Number.isNaN(shown)) offset = Date.now() - shown
      const status = failure instanceof ApiError ? failure.status : undefined
      // A daemon on this machine may use up the rate limit. A 429 still shows that the platform answers.
      if (!failure || status === 429) continue
      const isRefused = isForbidden(failure)
      const reason = isRefused ? `the credential or the zone is refused (${status})` : failure.message
      failures.set(reason, [...(failures.get(reason) ?? []), zone])
      worst = Math.max(worst, isRefused ? exporterExitCodes.refused : exporterExitCodes.failed)
      // If one request gets no answer, requests for the other zones would get none either.
      if (status === undefined) left.length = 0
    }
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
  for (const [reason, zones] of failures) say(`zone${zones.length === 1 ? '' : 's'} ${zones.join(', ')}: ${reason}`)
  const clock = describeOffset(offset)
  if (clock) say(`the ${clock}; set it`)
  if (worst === exporterExitCodes.done && config.zones.length === 0) say('this shard has no zones')
  else if (worst === exporterExitCodes.done)
    say(`the platform answers for ${config.zones.length === 1 ? 'the zone' : `all ${config.zones.length} zones`}`)
  return worst
}
