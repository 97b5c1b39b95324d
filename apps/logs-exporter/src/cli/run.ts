import type { Config } from '../config/config.ts'
import { runEngine } from '../engine/engine.ts'
import { observeWith } from '../engine/events.ts'
import { isRefusal } from '../engine/failure.ts'
import { pause } from '../engine/schedule.ts'
import { ConfigurationError, describeError, isAbort, type Log, SinkError } from '../errors.ts'
import { serveHealth } from '../health/server.ts'
import type { Gap, OpenGap } from '../ledger/ledger.ts'
import type { Window } from '../segments/segment.ts'
import { writeRows } from '../stdout.ts'
import { followZones, type ListedZones } from '../zones.ts'
import type { ExporterContext } from './context.ts'
import { lostText, openGapText, recheckText } from './counts.ts'
import { createLog } from './log.ts'
import { observeRun } from './observe-run.ts'
import { openRuntime, type Runtime, zonesOf } from './open-runtime.ts'
import { runBatch } from './run-batch.ts'

/** Pause between attempts to list the zones at the start, in ms. */
const firstPauseMs = 10_000

/**
 * Exports all zones until the signal fires.
 *
 * @returns the exit code: 0 if the signal ended the export; 6 instead if a range was lost, 1 if standard output left out a segment;
 *   3 if the platform refuses the credential from the start
 * @throws ConfigurationError, LedgerError, SinkError or OutputError if the export cannot start or continue
 */
export async function exportZones(config: Config, { env, err, signal }: ExporterContext): Promise<number> {
  const log = createLog(err)
  const ignore = () =>
    log.info({}, 'SIGHUP is ignored: zones and secrets are reread anyway; other settings need a restart')
  process.on('SIGHUP', ignore)
  try {
    // The ledger is opened before the port, so that a locked ledger is reported first.
    await using runtime = await openRuntime(config, env)
    using observed = observeRun(config, runtime, log)
    await using server = await serveHealth(config.listen, observed.registry, observed.problems)
    try {
      await work(config, runtime, observed, { env, log, signal, url: server.url })
    } catch (error) {
      if (!signal.aborted) throw error
      if (!isAbort(error, signal)) log.error({ error: describeError(error) }, 'an error while the run ended')
    }
    return observed.result()
  } finally {
    process.off('SIGHUP', ignore)
  }
}

async function work(
  config: Config,
  runtime: Runtime,
  observed: ReturnType<typeof observeRun>,
  { env, log, signal, url }: Pick<ExporterContext, 'env' | 'signal'> & { readonly log: Log; readonly url: string },
): Promise<void> {
  const { engine, stdout, setZones } = runtime
  const ended = AbortSignal.any([signal, observed.ended])
  await checkSink(engine, log, signal)
  const listed = await firstZones(config, env, { log, signal, url })
  if (!listed) return
  await runtime.forgetOthers([...listed.zones, ...listed.paused])
  setZones(listed)
  const shard = config.shard && { shard: `${config.shard.index}/${config.shard.of}` }
  const paused = listed.paused.length > 0 && { paused: listed.paused.length }
  log.info({ zones: listed.zones.length, ...paused, ...shard, sink: engine.sink.name, health: url }, 'running')
  const list = (signal: AbortSignal) => zonesOf(config, env, signal)
  const following = { list, onChange: setZones, refused: observed.refused, sleep: pause, log, signal: ended }
  const work = [
    runEngine({ ...engine, signal: ended }),
    stdout && writeRows({ ...stdout, signal: ended }),
    config.zonesFrom && followZones(listed, following),
  ]
  // If standard output is closed, the run ends, too.
  await Promise.all(work).finally(() => {
    observed[Symbol.dispose]()
    return Promise.allSettled(work)
  })
  log.info({}, 'ended')
}

/**
 * Lists the zones at the start. Retries while the platform fails. Does not retry if the platform refuses the credential.
 *
 * @returns undefined if the signal fires first
 */
async function firstZones(
  config: Config,
  env: NodeJS.ProcessEnv,
  { log, signal, url }: { readonly log: Log; readonly signal: AbortSignal; readonly url: string },
): Promise<ListedZones | undefined> {
  while (!signal.aborted) {
    try {
      return await zonesOf(config, env, signal)
    } catch (error) {
      if (signal.aborted) return undefined
      if (error instanceof ConfigurationError || isRefusal(error)) throw error
      log.warn({ error: describeError(error), health: url }, 'the zones cannot be listed yet')
      await pause(firstPauseMs, signal)
    }
  }
  return undefined
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

/** Exports all windows that are closed by now, also to standard output, and ends: for a scheduler such as cron. Serves no port. */
export function exportOnce(config: Config, context: ExporterContext): Promise<number> {
  return runBatch(config, config.zones, context, async ({ engine, observers }) => {
    const gaps: Gap[] = []
    /** The windows that could not be rechecked. */
    const failing = new Map<string, OpenGap & Window>()
    const keyOf = ({ zone, from }: Window) => `${zone} ${from}`
    observers.push(
      observeWith({
        gap: ({ gap }) => gaps.push(gap),
        failed: ({ error, recheck }) =>
          recheck && failing.set(keyOf(recheck), { ...recheck, reason: describeError(error).message }),
        recheck: ({ window }) => failing.delete(keyOf(window)),
        'recheck-missed': ({ window }) => failing.delete(keyOf(window)),
      }),
    )
    const failed = await runEngine({ ...engine, signal: context.signal }, config.zones)
    const toResult = async (zone: string) => ({
      zone,
      error: failed.get(zone),
      left: [
        ...(await engine.ledger.openGaps(zone)).map(openGapText),
        ...[...failing.values()].filter((each) => each.zone === zone).map(recheckText),
      ],
      lost: gaps.filter((gap) => gap.zone === zone).map(lostText),
    })
    return Promise.all(config.zones.map(toResult))
  })
}
