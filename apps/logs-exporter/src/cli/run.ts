import { retentionMs } from '@cdn/api'
import type { Config } from '../config/config.ts'
import { ConfigurationError } from '../config/configuration-error.ts'
import { runEngine } from '../engine/engine.ts'
import type { EngineEvent, Observe } from '../engine/events.ts'
import type { LeaseTimes } from '../fleet/postgres/leases.ts'
import { createHealth } from '../health/health.ts'
import { createMetrics } from '../health/metrics.ts'
import { isHealthy, serveHealth } from '../health/server.ts'
import { SinkError } from '../sinks/sink-error.ts'
import { exitCodes } from './exit-codes.ts'
import { describe, type Log, logEvents } from './log.ts'
import { watchRefusals } from './refusals.ts'
import { openRuntime, type Runtime } from './runtime.ts'
import { createSummary } from './summary.ts'

/** What `run` needs beside the configuration. */
export interface RunOptions {
  readonly env: NodeJS.ProcessEnv
  readonly log: Log
  /** Ends it. */
  readonly signal: AbortSignal
  /** The times of the fleet's leases; those of the design where absent. */
  readonly times?: LeaseTimes
}

/** A zone with less time left than this to its deadline is in danger: time for whoever is called to do something. */
const dangerMs = 6 * 3_600_000
/** While the database of the fleet is away every zone finds out, again and again: it is said this often. */
const complaintMs = 10_000

/**
 * Exports all zones until it is told to end.
 *
 * @returns the exit code: 130 once told to end, 6 where it had to give up a range, 3 where the platform refuses the
 *   credential from the start
 * @throws what makes it impossible to begin, or to go on
 */
export async function run(config: Config, { env, log, signal, times }: RunOptions): Promise<number> {
  let runtime: Runtime | undefined
  let isLost = false
  let closed: SinkError | undefined
  const summary = createSummary(log)
  const stop = new AbortController()
  const verdict = watchRefusals(config.zones.length, () => stop.abort())
  const now = () => runtime?.engine.reader.now() ?? Date.now()
  const positions = remember(async () => (await runtime?.positions()) ?? [])
  const health = createHealth({ now, positions, dangerMs: Math.min(dangerMs, (retentionMs - config.margin) / 4) })
  const problems = () => health.problems()
  const metrics = createMetrics({
    now,
    positions,
    held: health.held,
    isHealthy: async () => isHealthy(await problems()),
  })
  const observers: readonly Observe[] = [
    metrics.observe,
    health.observe,
    logEvents(log),
    summary.observe,
    verdict.observe,
  ]
  const observe = (event: EngineEvent) => {
    if (event.type === 'gap') isLost = true
    // A consumer of stdout that is gone will never take more.
    if (event.type === 'failed' && event.error instanceof SinkError && event.error.kind === 'closed') {
      closed = event.error
      stop.abort()
    }
    for (const each of observers) each(event)
  }
  let complainedAt = Number.NEGATIVE_INFINITY
  const onContact = (failure: unknown) => {
    health.contact(failure === undefined)
    if (failure === undefined || performance.now() - complainedAt < complaintMs) return
    complainedAt = performance.now()
    log.warn({ error: describe(failure) }, 'the database of the fleet does not answer')
  }

  let server: Awaited<ReturnType<typeof serveHealth>> | undefined
  try {
    const open = () =>
      openRuntime(config, config.zones, {
        env,
        observe,
        requests: metrics.requests,
        onContact,
        ...(times && { times }),
        signal,
      })
    // Who is second on a ledger is to hear of that, not of the port. The database of a fleet may be away for long: meanwhile
    // health answers.
    if (!config.fleet) runtime = await open()
    server = await listen(config, () => serveHealth(config.listen, metrics.registry, problems))
    runtime ??= await open()
    const { engine } = runtime
    await checkSink(engine, log, signal)
    log.info({ zones: config.zones.length, sink: engine.sink.name, health: server.url }, 'running')
    const coordinator = health.watch(engine.coordinator)
    await runEngine({ ...engine, coordinator, signal: AbortSignal.any([signal, stop.signal]) })
    log.info({}, 'ended')
  } finally {
    summary.close()
    await runtime?.close()
    await server?.close()
  }
  if (closed) throw closed
  if (verdict.isRefused()) {
    log.error({}, 'the platform refuses the credential, of every zone that was tried; replace it')
    return exitCodes.refused
  }
  return isLost ? exitCodes.lost : exitCodes.interrupted
}

async function listen<T>({ listen: { host, port } }: Config, serve: () => Promise<T>): Promise<T> {
  return serve().catch((error) => {
    // Whoever has the port may go: that is no mistake of the configuration.
    if (error.code === 'EADDRINUSE')
      throw new Error(`listen: ${host} port ${port} is in use; end what listens there, or give another one.`)
    throw new ConfigurationError(`listen: ${host} port ${port} cannot be used (${error.code}); give another one.`)
  })
}

/** A sink that is away is waited for; one that refuses what is configured is not. */
async function checkSink({ sink }: Runtime['engine'], log: Log, signal: AbortSignal): Promise<void> {
  try {
    await sink.check(signal)
  } catch (error) {
    if (!(error instanceof SinkError) || error.kind !== 'transient') throw error
    log.warn({ error: describe(error) }, 'the sink cannot be used yet')
  }
}

/** The same answer for a second: one scrape asks several times. */
function remember<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  let at = 0
  return () => {
    if (!answer || performance.now() - at > 1_000) {
      answer = ask()
      at = performance.now()
    }
    return answer
  }
}
