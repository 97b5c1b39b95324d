import type { Config } from '../config/config.ts'
import { runDeliveries } from '../deliver/loop.ts'
import { type BackfilledZone, exportRange } from '../engine/backfill.ts'
import type { EngineEvent } from '../engine/events.ts'
import { isForbidden } from '../engine/failure.ts'
import { closedUntil, closesAt, type ExportPlan, openWindows } from '../engine/plan.ts'
import { ConfigurationError } from '../errors.ts'
import { type ExportRange, isoTime, rangeText } from '../segments/segment.ts'
import { type ExporterContext, exporterExitCodes } from './context.ts'
import { createLog, describeError, logEvents } from './log.ts'
import type { CommandOf } from './options.ts'
import { createExportProgress } from './progress.ts'
import { exportPlan, openRuntime } from './runtime.ts'

/**
 * Exports one range. Then sends the segments to the deliveries. Writes one result per zone to `out`, or to
 * `err` if a delivery writes to `out`.
 *
 * @returns the exit code: 0 if done; 6 if part of the range is lost; 3 if the platform refuses access; 1 if a zone failed,
 *   a receiver refused rows, or the range has not closed yet; 130 if interrupted
 * @throws ConfigurationError, LedgerError, SinkError or DeliveryError if the backfill cannot start
 */
export async function runBackfill(
  config: Config,
  { range, again, ...command }: CommandOf<'backfill'>,
  { env, out, err, signal }: ExporterContext,
): Promise<number> {
  const zones = command.zones.length > 0 ? command.zones : config.zones
  const plan = exportPlan(config)
  const stray = zones.find((zone) => !config.zones.includes(zone))
  if (stray) {
    const place = config.shard ? `shard ${config.shard.index}/${config.shard.of}` : 'the configuration'
    throw new ConfigurationError(`--zone ${stray} is not among the zones of ${place}.`)
  }
  const place = config.deliver.some(({ type }) => type === 'stdout') ? err : out
  const [zone] = zones
  if (zone === undefined) {
    place.write('This shard has no zones.\n')
    return exporterExitCodes.done
  }

  const progress = createExportProgress(err, zones.length, range)
  // On a terminal, log lines would break the progress bars.
  const tell = err.isTTY ? () => {} : logEvents(createLog())
  const refused = new Map<string, number>()
  const observe = (event: EngineEvent) => {
    if (event.type === 'delivered' && event.refused > 0)
      refused.set(event.delivery, (refused.get(event.delivery) ?? 0) + event.refused)
    progress.observe(event)
    tell(event)
  }
  const runtime = await openRuntime(config, zones, { env, observe })
  try {
    await runtime.engine.sink.check(signal)
    const { reader } = runtime.engine
    await reader.synchronize(zone, signal)
    if (range.to > reader.now())
      throw new ConfigurationError(
        `--to ${isoTime(range.to)} lies in the future; what is closed by now ends at ${isoTime(closedUntil(reader.now(), plan))}.`,
      )
    const results = await exportRange({ ...runtime.engine, signal }, { zones, ...range, again })
    const delivered = await runDeliveries(runtime.deliveries, signal, { untilSent: true })
    progress.close()
    if (signal.aborted) return exporterExitCodes.interrupted
    for (const { delivery, segments } of await runtime.engine.ledger.deliveryLags())
      if (segments > 0) place.write(`delivery ${delivery}: ${segments} segments are left; repeat, or start run\n`)
    for (const [delivery, rows] of refused) place.write(`delivery ${delivery}: its receiver refused ${rows} rows\n`)
    for (const result of results) for (const line of sentences(result, range, plan)) place.write(`${line}\n`)
    if (results.some(({ gaps }) => gaps.length > 0)) return exporterExitCodes.lost
    const failed = results.flatMap(({ error }) => (error ? [error] : []))
    if (failed.length > 0) return failed.every(isForbidden) ? exporterExitCodes.refused : exporterExitCodes.failed
    if (delivered.includes(false) || refused.size > 0) return exporterExitCodes.failed
    return results.some(({ until }) => until < range.to) ? exporterExitCodes.failed : exporterExitCodes.done
  } finally {
    progress.close()
    await runtime.close()
  }
}

function sentences(
  { zone, until, gaps, error }: BackfilledZone,
  { from, to }: ExportRange,
  plan: ExportPlan,
): string[] {
  const lost = gaps.map((gap) => `lost ${rangeText(gap)}: ${gap.reason}`)
  if (error) return [`failed: ${describeError(error).message}`, ...lost].map((text) => `zone ${zone}: ${text}`)
  const end = Math.min(until, to)
  const parts = openWindows({ zone, from, to: end }, gaps, Number.POSITIVE_INFINITY)
  const exported = parts.map((part) => `exported ${rangeText(part)}`)
  const closes = isoTime(closesAt(to - 1, plan))
  const rest =
    end < to ? [`not closed yet: ${rangeText({ from: Math.max(from, end), to })}; repeat after ${closes}`] : []
  return [...exported, ...lost, ...rest].map((text) => `zone ${zone}: ${text}`)
}
