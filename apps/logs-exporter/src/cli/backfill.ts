import type { Config } from '../config/config.ts'
import { runDeliveries } from '../deliver/loop.ts'
import { type BackfilledZone, exportRange } from '../engine/backfill.ts'
import { observeAll } from '../engine/events.ts'
import { isForbidden } from '../engine/failure.ts'
import { closedUntil, closesAt, type ExportPlan, openWindows } from '../engine/plan.ts'
import { ConfigurationError } from '../errors.ts'
import { readLedger } from '../ledger/open-ledger.ts'
import { type ExportRange, isoTime, rangeText, type Window } from '../segments/segment.ts'
import { openSink } from '../sinks/open-sink.ts'
import { countText } from '../verify/findings.ts'
import { type ExporterContext, exporterExitCodes } from './context.ts'
import { createLog, describeError, logEvents } from './log.ts'
import type { CommandOf } from './options.ts'
import { createExportProgress } from './progress.ts'
import { type RequestedRange, resolveRange } from './range.ts'
import { exportPlan, openReader, openRuntime } from './runtime.ts'
import { createTotals } from './totals.ts'

/**
 * Exports one range. Then sends the segments to the deliveries. Writes one result per zone and a summary to `out`, or to
 * `err` if a delivery writes to `out`.
 *
 * @returns the exit code: 0 if done; 6 if part of the range is lost; 3 if the platform refuses access; 1 if a zone failed,
 *   a receiver refused rows, or the range has not closed yet; 130 if interrupted
 * @throws ConfigurationError, LedgerError, SinkError or DeliveryError if the backfill cannot start
 */
export async function runBackfill(
  config: Config,
  command: CommandOf<'backfill'>,
  context: ExporterContext,
): Promise<number> {
  const place = config.deliver.some(({ type }) => type === 'stdout') ? context.err : context.out
  const zones = chosenZones(config, command.zones)
  if (zones.length === 0) {
    place.write('There are no zones to export.\n')
    return exporterExitCodes.done
  }
  return command.dryRun
    ? planRange({ ...config, zones }, command.range, context)
    : fillRange(config, zones, command, { ...context, place })
}

function chosenZones(config: Config, requested: readonly string[]): readonly string[] {
  if (requested.length === 0) return config.zones
  const known = new Set([...config.zones, ...config.paused])
  const stray = requested.find((zone) => !known.has(zone))
  if (stray === undefined) return requested
  const place = config.shard ? `shard ${config.shard.index}/${config.shard.of}` : 'the configuration'
  throw new ConfigurationError(`--zone ${stray} is not among the zones of ${place}.`)
}

async function fillRange(
  config: Config,
  zones: readonly string[],
  { range: requested, again }: CommandOf<'backfill'>,
  { env, err, place, signal }: Omit<ExporterContext, 'out'> & { readonly place: ExporterContext['out'] },
): Promise<number> {
  const plan = exportPlan(config)
  const totals = createTotals(config.ledger)
  const observers = [totals.observe]
  const runtime = await openRuntime({ ...config, zones }, { env, observe: observeAll(observers) })
  let progress: ReturnType<typeof createExportProgress> | undefined
  try {
    const { engine, deliveries } = runtime
    await runtime.forgetOthers([...config.zones, ...config.paused])
    await engine.sink.check(signal)
    await engine.reader.synchronize(String(zones[0]), signal)
    const range = resolveRange(requested, engine.reader.now(), plan)
    progress = createExportProgress(err, zones.length, range)
    // On a terminal, log lines would break the progress bar.
    observers.push(progress.observe, err.isTTY ? () => {} : logEvents(createLog(err)))
    const results = await exportRange({ ...engine, signal }, { zones, ...range, again })
    const delivered = await runDeliveries(deliveries, signal, { untilSent: true })
    progress.close()
    if (signal.aborted) return exporterExitCodes.interrupted
    const left = (await engine.ledger.deliveryLags()).filter(({ segments }) => segments > 0)
    const lines = [
      ...left.map(
        ({ delivery, segments }) => `delivery ${delivery}: ${segments} segments are left; repeat, or start run`,
      ),
      ...results.flatMap((result) => sentences(result, range, plan)),
      ...totals.lines(),
    ]
    for (const line of lines) place.write(`${line}\n`)
    return exitCodeOf(results, range, delivered.includes(false) || totals.isRefused())
  } finally {
    progress?.close()
    await runtime.close()
  }
}

function exitCodeOf(results: readonly BackfilledZone[], { to }: ExportRange, isUndelivered: boolean): number {
  if (results.some(({ gaps, missing }) => gaps.length + missing.length > 0)) return exporterExitCodes.lost
  const failed = results.flatMap(({ error }) => (error ? [error] : []))
  if (failed.length > 0) return failed.every(isForbidden) ? exporterExitCodes.refused : exporterExitCodes.failed
  return isUndelivered || results.some(({ until }) => until < to) ? exporterExitCodes.failed : exporterExitCodes.done
}

function sentences(
  { zone, until, gaps, missing, error }: BackfilledZone,
  { from, to }: ExportRange,
  plan: ExportPlan,
): string[] {
  const lost = [
    ...gaps.map((gap) => `lost ${rangeText(gap)}: ${gap.reason}`),
    ...missing.map((window) => `lacks the segment of ${rangeText(window)}, which the platform no longer has`),
  ]
  if (error) return [`failed: ${describeError(error).message}`, ...lost].map((text) => `zone ${zone}: ${text}`)
  const end = Math.min(until, to)
  const absent = [...gaps, ...missing].sort((a, b) => a.from - b.from)
  const parts = openWindows({ zone, from, to: end }, absent, Number.POSITIVE_INFINITY)
  const exported = parts.map((part) => `exported ${rangeText(part)}`)
  const closes = isoTime(closesAt(to - 1, plan))
  const rest =
    end < to ? [`not closed yet: ${rangeText({ from: Math.max(from, end), to })}; repeat after ${closes}`] : []
  return [...exported, ...lost, ...rest].map((text) => `zone ${zone}: ${text}`)
}

/**
 * Shows what a backfill would read: the windows that neither the ledger nor the sink has, and the minimum number of requests. Sends one
 * request, which shows the platform's time. Writes neither to the sink nor to the ledger.
 */
async function planRange(
  config: Config,
  requested: RequestedRange,
  { env, out, signal }: ExporterContext,
): Promise<number> {
  const plan = exportPlan(config)
  const reader = await openReader(config, { env })
  const sink = await openSink(config.sink, env)
  const ledger = readLedger(config.ledger)
  try {
    await reader.synchronize(String(config.zones[0]), signal)
    const { from, to } = resolveRange(requested, reader.now(), plan)
    let total = 0
    for (const zone of config.zones) {
      const end = Math.min(Math.ceil(to / plan.window) * plan.window, closedUntil(reader.now(), plan))
      const whole = { zone, from: Math.floor(from / plan.window) * plan.window, to: end }
      const known: Window[] = [...((await ledger?.windows(zone, whole.from, end)) ?? [])]
      for await (const segment of sink.segments(whole, signal)) known.push(segment)
      const covered = known.sort((a, b) => a.from - b.from)
      const windows = openWindows(whole, covered, plan.window)
      const requests = openWindows(whole, covered, Number.POSITIVE_INFINITY).length
      total += requests
      const what = `${countText(windows.length, 'window')} to read, at least ${countText(requests, 'request')}`
      out.write(`zone ${zone}: ${rangeText(whole)}: ${what}\n`)
    }
    out.write(`Dry run: nothing was exported. One request reads at most 10,000 rows; at least ${total} in all.\n`)
    return exporterExitCodes.done
  } finally {
    await ledger?.close()
    await sink.close()
  }
}
