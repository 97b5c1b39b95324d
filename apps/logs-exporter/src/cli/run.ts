import { retentionMs } from '@cdn/api'
import type { Config } from '../config/config.ts'
import { runEngine } from '../engine/engine.ts'
import type { EngineEvent } from '../engine/events.ts'
import { isRefusal } from '../engine/failure.ts'
import { ExporterConfigurationError, SinkError } from '../errors.ts'
import { createHealth } from '../health/health.ts'
import { createMetrics } from '../health/metrics.ts'
import { isHealthy, serveHealth } from '../health/server.ts'
import { pause } from '../schedule/pause.ts'
import { followZones } from '../zones/follow-zones.ts'
import type { ExporterContext } from './context.ts'
import { exporterExitCodes } from './exit-codes.ts'
import { createLog, describeError, type Log, logEvents } from './log.ts'
import { watchRefusals } from './refusals.ts'
import { openRuntime, type Runtime, zonesOf } from './runtime.ts'
import { createSummary } from './summary.ts'

/** A zone is in danger if its deadline is closer than this, in ms. An operator needs some time to react. */
const dangerMs = 6 * 3_600_000
/** Pause between attempts to list the zones at the start, in ms. */
const firstPauseMs = 10_000

/**
 * Exports all zones until the signal fires.
 *
 * @returns the exit code: 130 if the signal ended the export; 6 instead if a range was lost; 3 if the platform refuses the
 *   credential from the start
 * @throws if the export cannot start or continue
 */
export async function exportZones(fileConfig: Config, { env, signal }: ExporterContext): Promise<number> {
  const log = createLog()
  const config = { ...fileConfig, zones: await firstZones(fileConfig, env, log, signal) }
  let runtime: Runtime | undefined
  let isLost = false
  let closed: SinkError | undefined
  const summary = createSummary(log)
  const stop = new AbortController()
  const refusals = watchRefusals(config.zones.length, () => stop.abort())
  const now = () => runtime?.engine.reader.now() ?? Date.now()
  // Until the first response shows the platform's time, the lag of a zone is unknown.
  const isTimeKnown = () => Number.isFinite(runtime?.engine.reader.shownTime())
  const clockOffset = () => (isTimeKnown() ? Date.now() - now() : undefined)
  const positions = remember(async () => (runtime && isTimeKnown() ? runtime.positions() : []))
  const sources = { now, positions, clockOffset, zones: config.zones.length, shard: config.shard }
  const health = createHealth({ ...sources, dangerMs: Math.min(dangerMs, (retentionMs - config.margin) / 4) })
  const { problems, held } = health
  const metrics = createMetrics({ ...sources, held, isHealthy: async () => isHealthy(await problems()) })
  const observers = [metrics.observe, health.observe, logEvents(log), summary.observe, refusals.observe]
  const observe = (event: EngineEvent) => {
    if (event.type === 'gap') isLost = true
    // A standard output that its reader closed never reopens.
    if (event.type === 'failed' && event.error instanceof SinkError && event.error.kind === 'closed') {
      closed = event.error
      stop.abort()
    }
    for (const each of observers) each(event)
  }

  let server: Awaited<ReturnType<typeof serveHealth>> | undefined
  try {
    // Open the ledger before the port, so that a locked ledger is reported first.
    const { requests, onRetry } = metrics
    runtime = await openRuntime(config, config.zones, { env, observe, requests, onRetry })
    server = await listen(config, () => serveHealth(config.listen, metrics.registry, problems))
    const { engine, setZones } = runtime
    await checkSink(engine, log, signal)
    const shard = config.shard && { shard: `${config.shard.index}/${config.shard.of}` }
    log.info({ zones: config.zones.length, ...shard, sink: engine.sink.name, health: server.url }, 'running')
    const ended = AbortSignal.any([signal, stop.signal])
    if (config.zonesFrom) {
      const list = (signal: AbortSignal) => zonesOf(config, env, signal)
      void followZones(config.zones, { list, onChange: setZones, sleep: pause, log, signal: ended })
    }
    await runEngine({ ...engine, schedule: health.watch(engine.schedule), signal: ended })
    log.info({}, 'ended')
  } finally {
    stop.abort()
    summary.close()
    await runtime?.close()
    await server?.close()
  }
  if (closed) throw closed
  if (refusals.isRefused()) {
    log.error({}, 'the platform refuses the credential for every zone that was tried; replace it')
    return exporterExitCodes.refused
  }
  return isLost ? exporterExitCodes.lost : exporterExitCodes.interrupted
}

/** Lists the zones at the start. Retries while the platform fails. Does not retry if the platform refuses the credential. */
async function firstZones(
  config: Config,
  env: NodeJS.ProcessEnv,
  log: Log,
  signal: AbortSignal,
): Promise<readonly string[]> {
  for (;;) {
    try {
      return await zonesOf(config, env, signal)
    } catch (error) {
      if (signal.aborted || error instanceof ExporterConfigurationError || isRefusal(error)) throw error
      log.warn({ error: describeError(error) }, 'the zones cannot be listed yet')
      await pause(firstPauseMs, signal)
    }
  }
}

async function listen<T>({ listen: { host, port } }: Config, serve: () => Promise<T>): Promise<T> {
  return serve().catch((error) => {
    // The program that uses the port may end, so this is not a mistake in the configuration.
    if (error.code === 'EADDRINUSE')
      throw new Error(
        `listen: ${host} port ${port} is in use; stop the program that listens there, or choose another port.`,
      )
    throw new ExporterConfigurationError(
      `listen: ${host} port ${port} cannot be used (${error.code}); choose another one.`,
    )
  })
}

/** Checks the sink. A transient failure is only logged, because the zones retry. @throws if the sink refuses its configuration */
async function checkSink({ sink }: Runtime['engine'], log: Log, signal: AbortSignal): Promise<void> {
  try {
    await sink.check(signal)
  } catch (error) {
    if (!(error instanceof SinkError) || error.kind !== 'transient') throw error
    log.warn({ error: describeError(error) }, 'the sink cannot be used yet')
  }
}

/** Caches the result for a second, because one scrape calls the function several times. */
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
