import type { Config } from '../config/config.ts'
import { runDeliveries } from '../deliver/loop.ts'
import { runEngine } from '../engine/engine.ts'
import { isRefusal } from '../engine/failure.ts'
import { pause } from '../engine/schedule.ts'
import { ConfigurationError, SinkError } from '../errors.ts'
import { serveHealth } from '../health/server.ts'
import { followZones } from '../zones.ts'
import type { ExporterContext } from './context.ts'
import { createLog, describeError, type Log } from './log.ts'
import { createObservability } from './observers.ts'
import { openRuntime, type Runtime, zonesOf } from './runtime.ts'

/** Pause between attempts to list the zones at the start, in ms. */
const firstPauseMs = 10_000

/**
 * Exports all zones until the signal fires.
 *
 * @returns the exit code: 130 if the signal ended the export; 6 instead if a range was lost; 3 if the platform refuses the
 *   credential from the start
 * @throws ConfigurationError, LedgerError, SinkError or DeliveryError if the export cannot start or continue
 */
export async function exportZones(fileConfig: Config, { env, signal }: ExporterContext): Promise<number> {
  const log = createLog()
  const config = { ...fileConfig, zones: await firstZones(fileConfig, env, log, signal) }
  const observability = createObservability(config, log)
  const { observe, metrics, problems } = observability
  const stop = new AbortController()
  const ended = AbortSignal.any([signal, observability.ended, stop.signal])
  let runtime: Runtime | undefined
  let server: Awaited<ReturnType<typeof serveHealth>> | undefined
  try {
    // Open the ledger before the port, so that a locked ledger is reported first.
    const { requests, onRetry, registry } = metrics
    runtime = await openRuntime(config, config.zones, { env, observe, requests, onRetry })
    observability.attach(runtime)
    server = await listen(config, () => serveHealth(config.listen, registry, problems))
    const { engine, deliveries, setZones } = runtime
    await checkSink(engine, log, signal)
    const shard = config.shard && { shard: `${config.shard.index}/${config.shard.of}` }
    log.info({ zones: config.zones.length, ...shard, sink: engine.sink.name, health: server.url }, 'running')
    if (config.zonesFrom) {
      const list = (signal: AbortSignal) => zonesOf(config, env, signal)
      void followZones(config.zones, { list, onChange: setZones, sleep: pause, log, signal: ended })
    }
    const work = [runEngine({ ...engine, signal: ended }), runDeliveries(deliveries, ended)]
    // A delivery whose receiver is closed ends the run, too.
    await Promise.all(work).finally(() => {
      stop.abort()
      return Promise.allSettled(work)
    })
    log.info({}, 'ended')
  } finally {
    observability.close()
    await runtime?.close()
    await server?.close()
  }
  return observability.result()
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
      if (signal.aborted || error instanceof ConfigurationError || isRefusal(error)) throw error
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
    throw new ConfigurationError(`listen: ${host} port ${port} cannot be used (${error.code}); choose another one.`)
  })
}

/** Checks the sink. A transient failure is only logged, because the zones retry. @throws SinkError if it refuses its configuration */
async function checkSink({ sink }: Runtime['engine'], log: Log, signal: AbortSignal): Promise<void> {
  try {
    await sink.check(signal)
  } catch (error) {
    if (!(error instanceof SinkError) || error.kind !== 'transient') throw error
    log.warn({ error: describeError(error) }, 'the sink cannot be used yet')
  }
}
