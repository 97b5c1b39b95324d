import type { Config } from '../config/config.ts'
import { runDeliveries } from '../deliver/loop.ts'
import { type ExporterContext, exporterExitCodes } from './context.ts'
import { createLog, logEvents } from './log.ts'
import { openRuntime, type Runtime } from './runtime.ts'
import { createTotals } from './totals.ts'

/** Result of an export: its sentences, and the exit code of the command if all segments are delivered. */
export interface BatchResult {
  readonly lines: readonly string[]
  readonly code: number
}

/** The stream for the result of a command: `out`, or `err` if a delivery writes to `out`. */
export function placeOfResult({ deliver }: Config, { out, err }: ExporterContext): ExporterContext['out'] {
  return deliver.some(({ type }) => type === 'stdout') ? err : out
}

/**
 * Runs an export that ends by itself, then sends its segments to the deliveries. Writes the sentences of its result and a summary.
 *
 * @param config with all its zones, which the ledger keeps
 * @param zones those to export
 * @param work exports with the opened parts
 * @returns the exit code: that of the work; 1 if it is 0 but segments could not be delivered or a receiver refused rows;
 *   130 if interrupted
 * @throws ConfigurationError, LedgerError, SinkError or DeliveryError if the export cannot start
 */
export async function runToEnd(
  config: Config,
  zones: readonly string[],
  context: ExporterContext,
  work: (runtime: Runtime, totals: ReturnType<typeof createTotals>) => Promise<BatchResult>,
): Promise<number> {
  const { env, err, signal } = context
  const totals = createTotals(config.ledger)
  const runtime = await openRuntime({ ...config, zones }, env)
  try {
    const { engine, deliveries, observers } = runtime
    observers.push(totals.observe, logEvents(createLog(err)))
    await runtime.forgetOthers([...config.zones, ...config.paused])
    await engine.sink.check(signal)
    const { lines, code } = await work(runtime, totals)
    const delivered = await runDeliveries(deliveries, signal, { untilSent: true })
    if (signal.aborted) return exporterExitCodes.interrupted
    const left = (await engine.ledger.deliveryLags()).filter(({ segments }) => segments > 0)
    const behind = left.map(
      ({ delivery, segments }) => `delivery ${delivery}: ${segments} segments are left; repeat, or start run`,
    )
    const place = placeOfResult(config, context)
    for (const line of [...behind, ...lines, ...totals.lines()]) place.write(`${line}\n`)
    const isDelivered = !delivered.includes(false) && !totals.isRefused()
    return code === exporterExitCodes.done && !isDelivered ? exporterExitCodes.failed : code
  } finally {
    await runtime.close()
  }
}
