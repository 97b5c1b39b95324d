import type { Config } from '../config/config.ts'
import { ConfigurationError } from '../config/configuration-error.ts'
import { type BackfilledZone, backfill as exportRange } from '../engine/backfill.ts'
import type { EngineEvent } from '../engine/events.ts'
import { isRefusal } from '../engine/failure.ts'
import { openWindows, type Plan, settledUntil, settlesAt } from '../engine/plan.ts'
import { exitCodes } from './exit-codes.ts'
import { describe, type Log, logEvents } from './log.ts'
import type { Range } from './options.ts'
import { createProgress, type Terminal } from './progress.ts'
import { openRuntime, planOf } from './runtime.ts'

/** What `backfill` needs beside the configuration. */
export interface BackfillOptions {
  readonly env: NodeJS.ProcessEnv
  readonly log: Log
  readonly out: { write(text: string): unknown }
  /** Where progress bars go, if it is a terminal. */
  readonly err: Terminal
  readonly signal: AbortSignal
  /** Those of the configuration where it is empty. */
  readonly zones: readonly string[]
  readonly range: Range
}

/**
 * Exports one range.
 *
 * @returns the exit code: 0, or 6 where some of it is lost, 3 where the platform refuses it, 1 where it was given up or has
 *   not settled yet, 130 where it was interrupted; `out`, or `err` where `out` is the sink, says what became of each zone
 * @throws what makes it impossible to begin
 */
export async function backfill(config: Config, options: BackfillOptions): Promise<number> {
  const { env, log, out, err, signal, range } = options
  if (config.fleet)
    throw new ConfigurationError(
      'A fleet exports all that is kept by itself. For a backfill give a configuration without fleet, of zones that no worker has.',
    )
  const zones = options.zones.length > 0 ? options.zones : config.zones
  const plan = planOf(config)
  if (range.to > Date.now())
    throw new ConfigurationError(
      `--to ${iso(range.to)} lies in the future; what has settled by now ends at ${iso(settledUntil(Date.now(), plan))}.`,
    )
  const stray = zones.find((zone) => !config.zones.includes(zone))
  if (stray) throw new ConfigurationError(`--zone ${stray} is not among the zones of the configuration.`)

  const progress = createProgress(err, zones.length, range)
  // On a terminal the bars say how it goes, and log lines would tear them.
  const tell = err.isTTY ? () => {} : logEvents(log)
  const observe = (event: EngineEvent) => {
    progress.observe(event)
    tell(event)
  }
  const runtime = await openRuntime(config, zones, { env, observe })
  try {
    await runtime.engine.sink.check(signal)
    const results = await exportRange({ ...runtime.engine, signal }, { zones, ...range })
    progress.close()
    if (signal.aborted) return exitCodes.interrupted
    const place = config.sink.type === 'stdout' ? err : out
    for (const result of results) for (const line of sentences(result, range, plan)) place.write(`${line}\n`)
    if (results.some(({ gaps }) => gaps.length > 0)) return exitCodes.lost
    const failed = results.flatMap(({ error }) => (error ? [error] : []))
    if (failed.length > 0) return failed.every(isRefusal) ? exitCodes.refused : exitCodes.failed
    return results.some(({ until }) => until < range.to) ? exitCodes.failed : exitCodes.done
  } finally {
    progress.close()
    await runtime.close()
  }
}

/** What became of the range of a zone: what is in the sink, what is not yet, what is lost. */
function sentences({ zone, until, gaps, error }: BackfilledZone, { from, to }: Range, plan: Plan): string[] {
  const lost = gaps.map((gap) => `lost ${span(gap)}: ${gap.reason}`)
  if (error) return [`given up: ${describe(error).message}`, ...lost].map((text) => `zone ${zone}: ${text}`)
  const end = Math.min(until, to)
  const exported = openWindows(zone, from, end, gaps, Number.POSITIVE_INFINITY).map((part) => `exported ${span(part)}`)
  const settles = iso(settlesAt(to - 1, plan))
  const rest =
    end < to ? [`not settled yet is ${span({ from: Math.max(from, end), to })}: ask again after ${settles}`] : []
  return [...exported, ...lost, ...rest].map((text) => `zone ${zone}: ${text}`)
}

const span = ({ from, to }: Range) => `${iso(from)} to ${iso(to)}`
const iso = (time: number) => new Date(time).toISOString()
