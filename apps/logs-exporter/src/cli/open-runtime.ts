import {
  createManagementClient,
  type LoggingClientOptions,
  type Observer,
  retentionMs,
  withObserver,
  withRetry,
  withTimeout,
} from '@cdn/api'
import type { Config } from '../config/config.ts'
import { checkSecrets, readSecret } from '../config/secret.ts'
import { isInShard } from '../config/shard.ts'
import { type Observe, observeAll } from '../engine/events.ts'
import { deadlineOf, type ExportPlan } from '../engine/plan.ts'
import { createZoneSchedule, pause } from '../engine/schedule.ts'
import { ConfigurationError } from '../errors.ts'
import type { ZonePosition } from '../health/health.ts'
import { openDeadLetters } from '../ledger/dead-letters.ts'
import { withinTime } from '../ledger/ledger.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import { createApiReader, type WindowReader } from '../reader/api-reader.ts'
import { createEncoder } from '../rows/encoder.ts'
import { openSink } from '../sinks/open-sink.ts'
import type { StdoutOptions } from '../stdout.ts'
import { type ListedZones, listZones } from '../zones.ts'

/**
 * Opens the two ends of an export: a reader of the platform and the sink, with the encoder between them.
 *
 * @param observe receives the events of the reader
 * @throws ConfigurationError if a secret is missing, SinkError
 */
export async function openEnds(config: Config, env: NodeJS.ProcessEnv, observe: Observe = () => {}) {
  const { credential, sink: settings, privacy } = config
  await checkSecrets({ ...credential, sink: settings }, env)
  const reader = await openReader(config, env, observe)
  const sink = await openSink(settings, env)
  const { replacesNul, takesValues } = sink
  return {
    ...{ reader, sink, plan: exportPlan(config) },
    encode: createEncoder({ privacy, replacesNul, takesValues }),
    [Symbol.asyncDispose]: () => sink.close(),
  }
}

/** The parts of the exporter, connected with each other. */
export type Runtime = Awaited<ReturnType<typeof openRuntime>>

/**
 * Creates and connects the parts of the exporter.
 *
 * @param config checked configuration with the zones to export
 * @throws ConfigurationError, LedgerError, SinkError
 */
export async function openRuntime(config: Config, env: NodeJS.ProcessEnv) {
  const observers: Observe[] = []
  const observe = observeAll(observers)
  const ends = await openEnds(config, env, observe)
  const { reader, sink, plan } = ends
  let listed: ListedZones | undefined
  const schedule = createZoneSchedule(config.zones, { elapsed: () => performance.now(), sleep: pause })
  try {
    const ledger = openLedger(config.ledger)
    const rejects = openDeadLetters(config.ledger)
    const stdout: Omit<StdoutOptions, 'signal'> | undefined = config.stdout
      ? { output: process.stdout, sink, ledger, rejects, observe, sleep: pause }
      : undefined
    const positionOf = async (zone: string) => {
      const position = await ledger.position(zone)
      const deadline = position === undefined ? undefined : deadlineOf(position, plan)
      return { zone, position, deadline, unread: await ledger.openGaps(zone) }
    }
    return {
      engine: {
        ...{ ...ends, schedule, rejects, observe },
        ledger: withinTime(ledger, reader),
      },
      /** Observers of the events of all parts. Add yours before the work begins. */
      observers,
      /** What standard output needs; undefined if the rows are not written there. */
      stdout,
      positions: (): Promise<readonly ZonePosition[]> => Promise.all((listed?.zones ?? []).map(positionOf)),
      /** The current zones of a daemon; undefined until the first `setZones`. */
      listed: () => listed,
      setZones(changed: ListedZones): void {
        listed = changed
        schedule.setZones(changed.zones)
      },
      /**
       * Makes the ledger forget the zones and the cursor of other configurations. A disk may return after another shard has exported its
       * zones for days. What its ledger says of these zones is then outdated.
       */
      async forgetOthers(zones: readonly string[]): Promise<void> {
        await ledger.keepOnly(zones)
        await ledger.setStdout(config.stdout)
      },
      async [Symbol.asyncDispose]() {
        await ledger.close()
        await sink.close()
      },
    }
  } catch (error) {
    await sink.close()
    throw error
  }
}

export function exportPlan({ window, lateness, rechecks, margin }: Config): ExportPlan {
  return { window, lateness, rechecks, margin, retention: retentionMs }
}

async function openReader(config: Config, env: NodeJS.ProcessEnv, observe: Observe): Promise<WindowReader> {
  const requests: Observer = {
    response: ({ operation }, { status }) => observe({ type: 'response', operation, status }),
    wait: (_, ms) => observe({ type: 'wait', ms }),
  }
  return createApiReader({
    clients: { ...(await clientOptions('loggingUrl', config.loggingUrl, config, env)), wrap: [withObserver(requests)] },
    includeOriginShield: config.includeOriginShield,
    onClock: (offset, jump) => observe({ type: 'clock', offset, jump }),
    onRest: (zone, ms) => observe({ type: 'rest', zone, ms }),
    onRetry: () => observe({ type: 'retry' }),
  })
}

/**
 * Lists the zones of a configuration that belong to its shard. If `zonesFrom` is set, requests the list from the management interface.
 *
 * @throws ConfigurationError if the credential is missing; ApiError, TransportError or Error if the list cannot be read
 */
export async function zonesOf(config: Config, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<ListedZones> {
  const { zonesFrom, shard } = config
  if (!zonesFrom) return config
  const wrap = [withTimeout(listMs), withRetry()]
  const options = { ...(await clientOptions('managementUrl', zonesFrom.managementUrl, config, env)), wrap }
  const { zones, paused } = await listZones(createManagementClient(options), zonesFrom.name, signal)
  const isMine = (zone: string) => !shard || isInShard(shard, zone)
  return { zones: zones.filter(isMine), paused: paused.filter(isMine) }
}

/** Time-out for a page of the list of zones, with its retries, in ms. */
const listMs = 60_000

/**
 * Client options for one interface of the configured platform.
 *
 * @param setting that has the URL
 * @throws ConfigurationError if the credential is missing, or requests cannot use the port
 */
async function clientOptions(
  setting: string,
  baseUrl: string,
  { credential }: Config,
  env: NodeJS.ProcessEnv,
): Promise<LoggingClientOptions> {
  const isBearer = 'bearer' in credential
  const secret = () => readSecret(isBearer ? credential.bearer : credential.accessKey, env)
  await secret() // reports a missing secret now, not at the first request
  // `fetch` refuses the ports of other protocols, such as 5060, before it would send a request.
  const dispatch = () => {
    throw new Error('not sent')
  }
  const unsent: object = { dispatcher: { dispatch } } // an option of Node
  const { cause } = await fetch(baseUrl, unsent).catch((error) => error)
  if (cause?.message === 'bad port')
    throw new ConfigurationError(
      `${setting}: HTTP must not use port ${new URL(baseUrl).port}, which belongs to another protocol; choose another one.`,
    )
  return { ...(isBearer ? { bearer: secret } : { accessKey: secret }), baseUrl }
}
