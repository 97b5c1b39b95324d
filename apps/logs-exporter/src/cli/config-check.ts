import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError, createLoggingClient, withTimeout } from '@cdn/api'
import { queryPath } from '@cdn/api/logs'
import type { Config } from '../config/config.ts'
import { isForbidden } from '../engine/failure.ts'
import { LedgerInUseError, toError } from '../errors.ts'
import { minuteBefore } from '../reader/api-reader.ts'
import { describeOffset } from '../reader/server-clock.ts'
import { countText } from '../verify/findings.ts'
import { type ExporterContext, exporterExitCodes } from './context.ts'
import type { Log } from './log.ts'
import { type OpenExport, openExport } from './open-export.ts'
import type { CommandOf } from './options.ts'
import { clientOptions, zonesOf } from './runtime.ts'
import { withoutTraces } from './traces.ts'

/** Maximum number of concurrent requests. */
const atOnce = 8
/** Timeout per request, in ms. It is short because a user waits. */
const timeoutMs = 30_000

type Say = (text: string) => void

/**
 * Opens what `run` opens before its first request. Then tests the sink, connects to each receiver and, with one request per zone,
 * tests the credential and the clock. Leaves no file behind; what stays in a remote sink is named.
 *
 * @returns the exit code: 0 if all is right; 3 if the platform refuses a zone; 1 if the platform does not answer
 * @throws ConfigurationError, LedgerError, SinkError, DeliveryError or Error with a message of one sentence
 */
export async function checkConfig(
  fileConfig: Config,
  { config: name, offline }: CommandOf<'config check'>,
  { env, out, signal }: ExporterContext,
): Promise<number> {
  const say: Say = (text) => out.write(`${name}: ${text}\n`)
  const listed = offline ? {} : await zonesOf(fileConfig, env, signal)
  const config = { ...fileConfig, ...listed }
  if (config.paused.length > 0)
    say(`${countText(config.paused.length, 'zone')} paused (suspended, disabled or without logging)`)
  await withoutTraces(config, () =>
    withExport(config, env, say, async ({ runtime }) => {
      const { engine, deliveries } = runtime
      if (!offline || config.sink.type === 'files') {
        await engine.sink.check(signal)
        say(`the sink can be used: ${engine.sink.name}${leftovers[config.sink.type]}`)
      }
      for (const { name, receiver } of deliveries) {
        await receiver.check()
        if (!offline) await receiver.connect(signal)
        say(`the delivery ${name} ${offline ? 'has valid headers' : 'can be reached'}`)
      }
    }),
  )
  if (!offline) return checkZones(config, env, say, signal)
  say('the network was not used')
  return exporterExitCodes.done
}

/** What a check leaves in a sink. `run` needs it, too. */
const leftovers: Readonly<Record<Config['sink']['type'], string>> = {
  files: '',
  s3: '; the object .cdn-logs-exporter-probe stays there',
  azure: '; the object .cdn-logs-exporter-probe stays there',
  gcs: '; the object .cdn-logs-exporter-probe stays there',
  postgres: '; its tables exist now',
}

const silent: Log = { info() {}, warn() {}, error() {} }

/** Opens an export as `run` does. If an exporter runs with this configuration, its ledger and port are left alone. */
async function withExport(
  config: Config,
  env: NodeJS.ProcessEnv,
  say: Say,
  act: (opened: OpenExport) => Promise<void>,
): Promise<void> {
  let substitute: string | undefined
  const opened = await openExport(config, silent, env).catch(async (error) => {
    if (!(error instanceof LedgerInUseError)) throw error
    substitute = await mkdtemp(join(tmpdir(), 'cdn-logs-exporter-'))
    return openExport({ ...config, ledger: substitute, listen: { host: '127.0.0.1', port: 0 } }, silent, env)
  })
  try {
    if (substitute)
      say(`an exporter works with the ledger ${config.ledger}, so the ledger and the port were not tested`)
    else say(`the ledger can be used: ${config.ledger}; the port is free: ${opened.url}`)
    await act(opened)
  } finally {
    await opened.close()
    if (substitute) await rm(substitute, { recursive: true })
  }
}

async function checkZones(config: Config, env: NodeJS.ProcessEnv, say: Say, signal: AbortSignal): Promise<number> {
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
  if (worst === exporterExitCodes.done && config.zones.length === 0) say('there are no zones to export')
  else if (worst === exporterExitCodes.done)
    say(`the platform answers for ${config.zones.length === 1 ? 'the zone' : `all ${config.zones.length} zones`}`)
  return worst
}
