import type { Config } from '../config/config.ts'
import { ConfigurationError } from '../config/configuration-error.ts'
import { backfill as exportRange } from '../engine/backfill.ts'
import type { EngineEvent } from '../engine/events.ts'
import { isRefusal } from '../engine/failure.ts'
import { exitCodes } from './exit-codes.ts'
import { describe, type Log, logEvents } from './log.ts'
import type { Range } from './options.ts'
import { createProgress, type Terminal } from './progress.ts'
import { openRuntime } from './runtime.ts'

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
 * @returns the exit code: 0, or 6 where some of it is lost, 3 where the platform refuses it, 1 where it was given up, 130
 *   where it was interrupted; and one line a zone on `out` that says so
 * @throws what makes it impossible to begin
 */
export async function backfill(config: Config, options: BackfillOptions): Promise<number> {
  const { env, log, out, err, signal, range } = options
  if (config.fleet)
    throw new ConfigurationError(
      'A fleet exports all that is kept by itself. For a backfill give a configuration without fleet, of zones that no worker has.',
    )
  const zones = options.zones.length > 0 ? options.zones : config.zones
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
    for (const { zone, until, gaps, error } of results) {
      const end = Math.min(until, range.to)
      out.write(`zone ${zone}: ${error ? `given up: ${describe(error).message}` : `exported until ${iso(end)}`}\n`)
      if (!error && end < range.to) out.write(`zone ${zone}: the rest has not settled yet; ask again later\n`)
      for (const gap of gaps) out.write(`zone ${zone}: lost ${iso(gap.from)} to ${iso(gap.to)}: ${gap.reason}\n`)
    }
    if (results.some(({ gaps }) => gaps.length > 0)) return exitCodes.lost
    const failed = results.flatMap(({ error }) => (error ? [error] : []))
    if (failed.length > 0) return failed.every(isRefusal) ? exitCodes.refused : exitCodes.failed
    return exitCodes.done
  } finally {
    progress.close()
    await runtime.close()
  }
}

const iso = (time: number) => new Date(time).toISOString()
