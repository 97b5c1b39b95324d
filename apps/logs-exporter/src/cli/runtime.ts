import { hooks, type LoggingClientOptions, type Observer, retentionMs } from '@cdn/api'
import type { Config } from '../config/config.ts'
import { ConfigurationError } from '../config/configuration-error.ts'
import { readSecret, type Secret } from '../config/secret.ts'
import type { Observe } from '../engine/events.ts'
import type { EngineOptions } from '../engine/options.ts'
import { deadlineOf, type Plan } from '../engine/plan.ts'
import type { Coordinator } from '../fleet/coordinator.ts'
import { createLocalCoordinator } from '../fleet/local-coordinator.ts'
import { pause } from '../fleet/pause.ts'
import type { LeaseTimes } from '../fleet/postgres/leases.ts'
import { openFleet } from '../fleet/postgres/open-fleet.ts'
import type { ZonePosition } from '../health/zone-position.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import { openRejects } from '../ledger/rejects.ts'
import { createReader } from '../reader/api-reader.ts'
import { createBudget } from '../reader/budget.ts'
import type { Reader } from '../reader/reader.ts'
import { createPageCutter } from '../rows/cut-page.ts'
import { createEncoder } from '../rows/encoder.ts'
import { openSink } from '../sinks/open-sink.ts'
import type { Sink } from '../sinks/sink.ts'
import { describe } from './log.ts'
import { nameHost } from './name-host.ts'

/** What a runtime is told beside the configuration. */
export interface RuntimeOptions {
  readonly env: NodeJS.ProcessEnv
  readonly observe: Observe
  /** Told of the calls of the logging interface. */
  readonly requests?: Observer
  /** Told whether the database of the fleet answered. */
  onContact?(failure: unknown): void
  /** The times of the fleet's leases; those of the design where absent. */
  readonly times?: LeaseTimes
  /** Ends the waiting for a fleet's database that is away. */
  readonly signal?: AbortSignal
}

/** The parts that a configuration asks for, put together. */
export interface Runtime {
  readonly engine: Omit<EngineOptions, 'signal'>
  positions(): Promise<readonly ZonePosition[]>
  close(): Promise<void>
}

/**
 * Puts the exporter together.
 *
 * @param config what to make it of
 * @param zones those to share between the turns
 * @throws ConfigurationError, LedgerError, SinkError, pg's error
 */
export async function openRuntime(config: Config, zones: readonly string[], options: RuntimeOptions): Promise<Runtime> {
  const { env, observe } = options
  // The coordinator needs the reader's clock, and the reader asks the coordinator before each request.
  let expire = () => {}
  const reader = await openReader(config, options, () => expire())
  const sink = await openSink(config.sink, env)
  try {
    const shared = await openShared(config, zones, reader, options)
    expire = shared.expire
    return {
      engine: {
        reader,
        sink,
        ledger: shared.ledger,
        coordinator: shared.coordinator,
        encode: encodersFor(sink, config),
        rejects: openRejects(config.ledger),
        plan: planOf(config),
        observe,
      },
      positions: shared.positions,
      async close() {
        await shared.coordinator.close()
        await shared.ledger.close()
        await sink.close()
      },
    }
  } catch (error) {
    await sink.close()
    throw error
  }
}

/** What the engine takes its times from. */
export function planOf({ window, lateness, looks, margin }: Config): Plan {
  return { window, lateness, looks, margin, retention: retentionMs }
}

/** How rows become lines for a sink. */
export function encodersFor({ replacesNul }: Sink, { privacy }: Config): EngineOptions['encode'] {
  return { v1: createEncoder('v1', { privacy, replacesNul }), v2: createEncoder('v2', { privacy, replacesNul }) }
}

/**
 * Makes the reader of the configured platform.
 *
 * @param beforeRequest called before each request is sent
 * @throws ConfigurationError where the credential is missing
 */
export async function openReader(
  config: Config,
  options: Pick<RuntimeOptions, 'env' | 'requests'>,
  beforeRequest = () => {},
): Promise<Reader> {
  const clients = await clientOptions(config, options, beforeRequest)
  return createReader({ clients, budget: createBudget(config.memory), cut: createPageCutter(config.privacy) })
}

/**
 * What clients of the configured platform are made with.
 *
 * @param beforeRequest called before each request is sent
 * @throws ConfigurationError where the credential is missing
 */
export async function clientOptions(
  config: Config,
  { env, requests = {} }: Pick<RuntimeOptions, 'env' | 'requests'>,
  beforeRequest = () => {},
): Promise<LoggingClientOptions> {
  await readSecret(credentialOf(config), env) // what is missing is said at once, not with the first request
  const secret = () => readSecret(credentialOf(config), env)
  const credential = 'bearer' in config.credential ? { bearer: secret } : { accessKey: secret }
  return {
    ...credential,
    baseUrl: config.loggingUrl,
    use: [nameHost(config.loggingUrl), hooks(requests)],
    fetch: (...request: Parameters<typeof fetch>) => {
      beforeRequest()
      return fetch(...request)
    },
  }
}

interface Shared {
  readonly coordinator: Coordinator
  readonly ledger: Ledger
  positions(): Promise<readonly ZonePosition[]>
  expire(): void
}

async function openShared(
  config: Config,
  zones: readonly string[],
  reader: Reader,
  options: RuntimeOptions,
): Promise<Shared> {
  const now = () => reader.now()
  const plan = planOf(config)
  const withDeadline = <Zone extends { readonly position: number | undefined }>(zone: Zone) => ({
    ...zone,
    deadline: zone.position === undefined ? undefined : deadlineOf(zone.position, plan),
  })
  if (!config.fleet) {
    const ledger = openLedger(config.ledger)
    const positionOf = async (zone: string) => withDeadline({ zone, position: await ledger.position(zone) })
    return {
      ledger,
      coordinator: createLocalCoordinator(zones, { now, sleep: pause }),
      positions: () => Promise.all(zones.map(positionOf)),
      expire: () => {},
    }
  }
  const { onContact, times, signal } = options
  const url = await readFleetUrl(config.fleet.postgres, options.env)
  const fleet = await openFleet(url, zones, {
    now,
    ...(times && { times }),
    ...(signal && { signal }),
    onContact: () => onContact?.(undefined),
    onTrouble: (failure) => onContact?.(failure),
  }).catch((error) => {
    signal?.throwIfAborted()
    throw describeFleetError(error)
  })
  return {
    ...fleet,
    positions: async () => (await fleet.positions()).map(withDeadline),
    expire: () => fleet.coordinator.expire(),
  }
}

/** Codes of PostgreSQL for a user, a password, a database or a right that is wrong. */
const refusals = /^(28...|3D000|42501)$/

/** One sentence for a database that cannot be used: a configuration to change, or a failure that may pass. */
export function describeFleetError(error: unknown): Error {
  const { message, code = '' } = describe(error)
  if (refusals.test(code)) return new ConfigurationError(`The database of the fleet refuses us: ${message}.`)
  return new Error(`The database of the fleet cannot be used: ${message}.`)
}

/** Reads the URL of the fleet's database. @throws ConfigurationError where it is no such URL; it is not repeated */
export async function readFleetUrl(secret: Secret, env: NodeJS.ProcessEnv): Promise<string> {
  const url = await readSecret(secret, env)
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return url
  const place = 'env' in secret ? `The environment variable ${secret.env}` : `The file ${secret.file}`
  throw new ConfigurationError(`${place} must hold a URL such as postgres://user:password@host/database.`)
}

function credentialOf({ credential }: Config): Secret {
  return 'bearer' in credential ? credential.bearer : credential.accessKey
}
