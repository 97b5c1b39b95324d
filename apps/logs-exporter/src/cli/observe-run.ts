import type { Config } from '../config/config.ts'
import { observeWith } from '../engine/events.ts'
import { isRefusal } from '../engine/failure.ts'
import type { Log } from '../errors.ts'
import { createHealth } from '../health/health.ts'
import { createMetrics } from '../health/metrics.ts'
import { isHealthy } from '../health/server.ts'
import { createNotifier } from '../notifier.ts'
import { createCounts } from './counts.ts'
import { exporterExitCodes } from './exit-codes.ts'
import { logEvents } from './log.ts'
import type { Runtime } from './open-runtime.ts'
import { watchRefusals } from './watch-refusals.ts'

/** How often the log says what was exported, in ms. */
const summaryMs = 60_000

/** Adds the observers of a run: metrics, health, the log, and the reasons to end it. */
export function observeRun(config: Config, { engine, positions, listed, observers }: Runtime, log: Log) {
  const { reader, ledger } = engine
  // Until the first response shows the platform's time, the lag of a zone is unknown.
  const isTimeKnown = () => Number.isFinite(reader.shownTime())
  const sources = {
    now: reader.now,
    positions: remember(async () => (isTimeKnown() ? positions() : [])),
    clockOffset: () => (isTimeKnown() ? Date.now() - reader.now() : undefined),
  }
  const health = createHealth({ ...sources, zones: () => listed()?.zones, margin: config.margin })
  const metrics = createMetrics({
    ...sources,
    shard: config.shard,
    stdoutLag: remember(() => ledger.stdoutLag()),
    paused: () => listed()?.paused.length,
    isHealthy: async () => isHealthy(await health.problems()),
  })
  const stop = new AbortController()
  let isRefused = false
  const refusals = watchRefusals(
    reader,
    () => listed()?.zones.length ?? 0,
    () => {
      isRefused = true
      stop.abort()
    },
  )
  const refused = createNotifier()
  let isLost = false
  let isLeftOut = false
  const watch = observeWith({
    gap() {
      isLost = true
    },
    'stdout-skipped'() {
      isLeftOut = true
    },
    failed: ({ error }) => isRefusal(error) && refused.notify(),
  })
  const summary = createCounts()
  observers.push(metrics.observe, health.observe, logEvents(log), summary.observe, refusals, watch)
  const say = () => {
    const counts = summary.take()
    if (Object.values(counts).some((count) => count > 0)) log.info(counts, 'exported')
  }
  const timer = setInterval(say, summaryMs)
  return {
    registry: metrics.registry,
    problems: health.problems,
    /** Resolves at the next refusal of a zone. */
    refused: refused.next,
    /** Fires if the run cannot continue. */
    ended: stop.signal,
    /** Ends the run, and says what was exported; may be called again. */
    [Symbol.dispose]() {
      stop.abort()
      clearInterval(timer)
      say()
    },
    /** The exit code of a run that was stopped. */
    result(): number {
      if (!isRefused && isLost) return exporterExitCodes.lost
      if (!isRefused) return isLeftOut ? exporterExitCodes.failed : exporterExitCodes.done
      log.error({}, 'the platform refuses the credential for every zone that was tried; replace it')
      return exporterExitCodes.refused
    },
  }
}

/** Caches the result for a second, because one scrape calls the function several times. */
function remember<T>(read: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  let at = 0
  return () => {
    if (!result || performance.now() - at > 1_000) {
      result = read()
      at = performance.now()
    }
    return result
  }
}
