import { retentionMs } from '@cdn/api'
import { hourMs } from '@cdn/kit/time'
import type { Config } from '../config/config.ts'
import { type EngineEvent, type Observe, observeAll } from '../engine/events.ts'
import { isForbidden, isRefusal } from '../engine/failure.ts'
import { createHealth } from '../health/health.ts'
import { createMetrics } from '../health/metrics.ts'
import { isHealthy } from '../health/server.ts'
import { createWake } from '../wake.ts'
import { exporterExitCodes } from './context.ts'
import { type Log, logEvents } from './log.ts'
import type { Runtime } from './runtime.ts'

/** A zone is in danger if its deadline is closer than this, in ms. An operator needs some time to react. */
const dangerBeforeMs = 6 * hourMs

/**
 * Creates the observers of a run: metrics, health, the log, and the reasons to end it.
 *
 * @param config with the zones at the start
 */
export function createObservability(config: Config, log: Log) {
  let runtime: Opened | undefined
  let isLost = false
  const stop = new AbortController()
  const now = () => runtime?.engine.reader.now() ?? Date.now()
  // Until the first response shows the platform's time, the lag of a zone is unknown.
  const isTimeKnown = () => Number.isFinite(runtime?.engine.reader.shownTime())
  const clockOffset = () => (isTimeKnown() ? Date.now() - now() : undefined)
  const positions = remember(async () => (runtime && isTimeKnown() ? runtime.positions() : []))
  const deliveries = remember(async () => runtime?.engine.ledger.deliveryLags() ?? [])
  const listed = () => runtime?.listed() ?? config
  const sources = { now, positions, deliveries, clockOffset, shard: config.shard }
  const dangerMs = Math.min(dangerBeforeMs, (retentionMs - config.margin) / 4)
  const { problems, observe: observeHealth } = createHealth({ ...sources, zones: () => listed().zones, dangerMs })
  const metrics = createMetrics({
    ...sources,
    paused: () => listed().paused.length,
    isHealthy: async () => isHealthy(await problems()),
  })
  const summary = createSummary(log)
  const refusals = watchRefusals(config.zones.length, () => stop.abort())
  const refused = createWake()
  const observe = observeAll([metrics.observe, observeHealth, logEvents(log), summary.observe, refusals.observe])
  return {
    metrics,
    problems,
    /** Resolves at the next refusal of a zone. */
    refused: refused.next,
    /** Fires if the run cannot continue. */
    ended: stop.signal,
    observe(event: EngineEvent) {
      if (event.type === 'gap') isLost = true
      if (event.type === 'failed' && isRefusal(event.error)) refused.wake()
      observe(event)
    },
    /** Connects metrics and health with the clock and the ledger of the run. Before that, they know no positions. */
    attach(opened: Opened) {
      runtime = opened
    },
    close() {
      stop.abort()
      summary.close()
    },
    /** The exit code of a run that was stopped. */
    result(): number {
      if (refusals.isRefused()) {
        log.error({}, 'the platform refuses the credential for every zone that was tried; replace it')
        return exporterExitCodes.refused
      }
      return isLost ? exporterExitCodes.lost : exporterExitCodes.done
    },
  }
}

type Opened = Pick<Runtime, 'engine' | 'positions' | 'listed'>

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

/** If this many zones are refused and not a single one is accepted, the credential counts as wrong. */
const decisiveCount = 20

/**
 * Detects a wrong credential: the platform refuses every zone that is tried at the start. A single refused zone does not prove it.
 *
 * @param zones number of zones
 * @param onRefused called when the credential counts as wrong
 */
export function watchRefusals(zones: number, onRefused: () => void): { observe: Observe; isRefused(): boolean } {
  const refused = new Set<string>()
  const failed = new Set<string>()
  let isOver = false
  const isRefused = () => !isOver && zones > 0 && refused.size >= Math.min(zones, decisiveCount)
  return {
    isRefused,
    observe(event) {
      if (event.type === 'failed') {
        failed.add(event.zone)
        if (!isForbidden(event.error)) return
        refused.add(event.zone)
        if (isRefused()) onRefused()
        // A cycle without a window may have sent no request. It still counts as accepted, so the other zones stay in use.
      } else if (event.type === 'window' || event.type === 'recheck') isOver = true
      else if (event.type === 'cycle' && !failed.delete(event.zone)) isOver = true
    },
  }
}

const everyMs = 60_000

/** What the message `exported` counts (docs/exporter.md). */
const nothing = { windows: 0, empty: 0, conflicts: 0, lost: 0, rows: 0, bytes: 0 }

/** Logs once a minute what the exporter did. Logs nothing if it did nothing. */
export function createSummary(log: Log): { observe: Observe; close(): void } {
  let counts = { ...nothing }
  const say = () => {
    if (Object.values(counts).some((count) => count > 0)) log.info(counts, 'exported')
    counts = { ...nothing }
  }
  const timer = setInterval(say, everyMs)
  return {
    observe(event) {
      if (event.type === 'gap') counts.lost++
      if (event.type === 'conflict') counts.conflicts++
      if (event.type !== 'window' && event.type !== 'revision') return
      if (event.type === 'window') counts[event.segment ? 'windows' : 'empty']++
      counts.rows += event.segment?.rows ?? 0
      counts.bytes += event.segment?.bytes ?? 0
    },
    close() {
      clearInterval(timer)
      say()
    },
  }
}
