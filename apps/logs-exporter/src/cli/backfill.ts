import { plural } from '@cdn/kit/plural'
import type { Config } from '../config/config.ts'
import { type BackfilledZone, backfillRange } from '../engine/backfill.ts'
import { closesAt, type ExportPlan, openWindows } from '../engine/plan.ts'
import { ConfigurationError } from '../errors.ts'
import { type ExportRange, isoTime, rangeText } from '../segments/segment.ts'
import type { ExporterContext } from './context.ts'
import { lostText, openGapText } from './counts.ts'
import { exporterExitCodes } from './exit-codes.ts'
import { exportPlan } from './open-runtime.ts'
import type { CommandOf } from './options.ts'
import { createProgress } from './progress.ts'
import { resolveRange } from './range.ts'
import { resultStream, runBatch, type ZoneResult } from './run-batch.ts'

/**
 * Exports one range. Writes one result per zone.
 *
 * @returns the exit code: 0 if done; 6 if part of the range is lost; 3 if the platform refuses every zone; 1 if a zone failed,
 *   rows cannot be read (any more) or were not written to standard output, or the range has not closed yet; 130 if interrupted
 * @throws ConfigurationError, LedgerError, SinkError or OutputError if the backfill cannot start
 */
export async function runBackfill(
  config: Config,
  { zones: requested, range: requestedRange, again }: CommandOf<'backfill'>,
  context: ExporterContext,
): Promise<number> {
  const zones = chosenZones(config, requested)
  if (zones.length === 0) {
    resultStream(config, context).write('There are no zones to export.\n')
    return exporterExitCodes.done
  }
  const plan = exportPlan(config)
  return runBatch(config, zones, context, async ({ engine, observers }, counts) => {
    const range = resolveRange(requestedRange, engine.reader.now(), plan)
    const progress = createProgress(context.err)
    observers.push((event) => {
      if (event.type !== 'window') return
      const { zone, to } = event.window
      progress(() => `${plural(counts().rows, 'row')}; zone ${zone} up to ${isoTime(to)}`)
    })
    const results = await backfillRange({ ...engine, signal: context.signal }, { zones, ...range, again })
    return results.map((result) => toResult(result, range, plan))
  })
}

function chosenZones(config: Config, requested: readonly string[]): readonly string[] {
  if (requested.length === 0) return config.zones
  const known = new Set([...config.zones, ...config.paused])
  const stray = requested.find((zone) => !known.has(zone))
  if (stray === undefined) return requested
  const place = config.shard ? `shard ${config.shard.index}/${config.shard.of}` : 'the configuration'
  throw new ConfigurationError(`--zone ${stray} is not among the zones of ${place}.`)
}

function toResult(
  { zone, until, gaps, unkept, unread, missing, error }: BackfilledZone,
  { from, to }: ExportRange,
  plan: ExportPlan,
): ZoneResult {
  const end = Math.min(until, to)
  const absent = [...gaps, ...unkept, ...unread.map((gap) => ({ zone, ...gap })), ...missing].sort(
    (a, b) => a.from - b.from,
  )
  const parts = openWindows({ zone, from, to: end }, absent, Number.POSITIVE_INFINITY)
  const open = rangeText({ from: Math.max(from, end), to })
  const rest = `not closed yet: ${open}; repeat after ${isoTime(closesAt(to - 1, plan))}`
  return {
    zone,
    error,
    exported: parts.map((part) => `exported ${rangeText(part)}`),
    left: [
      ...unkept.map((window) => `the platform no longer has ${rangeText(window)}`),
      ...unread.map(openGapText),
      ...(end < to && !error ? [rest] : []),
    ],
    lost: [
      ...gaps.map(lostText),
      ...missing.map((window) => `lacks the segment of ${rangeText(window)}, which the platform no longer has`),
    ],
  }
}
