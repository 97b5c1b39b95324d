import { plural } from '@cdn/kit/plural'
import type { Config } from '../config/config.ts'
import { writeRows } from '../stdout.ts'
import { type ExporterContext, exporterExitCodes } from './context.ts'
import { createLog, logEvents } from './log.ts'
import { openRuntime, type Runtime } from './open-runtime.ts'
import { createTotals } from './totals.ts'
import { exitCodeOfFailures } from './watch.ts'

/** Result of an export. */
export interface BatchResult {
  /** Its sentences. */
  readonly lines: readonly string[]
  /** The errors of the zones that were given up. */
  readonly failures: readonly Error[]
  readonly isLost: boolean
  /** Whether there are rows that cannot be read yet or any more, or a range that has not closed. */
  readonly isPartial: boolean
}

/** The stream for the result of a command: `out`, or `err` if the rows are written to `out`. */
export function placeOfResult({ stdout }: Config, { out, err }: ExporterContext): ExporterContext['out'] {
  return stdout ? err : out
}

/**
 * Runs an export that ends by itself, then writes its rows to standard output if configured. Writes the sentences of its result and a
 * summary.
 *
 * @param config with all its zones, which the ledger keeps
 * @param zones those to export
 * @param work exports with the opened parts
 * @returns the exit code: 6 if rows are lost; 3 if the platform refuses every zone; 1 if a zone was given up, the result is partial, or
 *   rows could not be written to standard output; 130 if interrupted
 * @throws ConfigurationError, LedgerError, SinkError or OutputError if the export cannot start; ApiError, TransportError or Error if the
 *   platform does not answer
 */
export async function runBatch(
  config: Config,
  zones: readonly string[],
  context: ExporterContext,
  work: (runtime: Runtime, totals: ReturnType<typeof createTotals>) => Promise<BatchResult>,
): Promise<number> {
  const { env, err, signal } = context
  const totals = createTotals(config.ledger)
  const runtime = await openRuntime({ ...config, zones }, env)
  try {
    const { engine, stdout, observers } = runtime
    observers.push(totals.observe, logEvents(createLog(err)))
    await runtime.forgetOthers([...config.zones, ...config.paused])
    await engine.sink.check(signal)
    const reachAndWork = async () => {
      // If the platform does not answer one request, no zone needs to try.
      if (zones[0] !== undefined) await engine.reader.synchronize(zones[0], signal)
      return work(runtime, totals)
    }
    // What earlier runs exported is written in any case.
    const { lines, failures, isLost, isPartial } = await reachAndWork().finally(
      () => stdout && writeRows({ ...stdout, signal }, { untilWritten: true }),
    )
    if (signal.aborted) return exporterExitCodes.interrupted
    const { segments = 0 } = (await engine.ledger.stdoutLag()) ?? {}
    const behind = segments > 0 ? [`standard output: ${plural(segments, 'segment')} left; repeat, or start run`] : []
    const place = placeOfResult(config, context)
    for (const line of [...behind, ...lines, ...totals.lines()]) place.write(`${line}\n`)
    if (isLost) return exporterExitCodes.lost
    if (failures.length > 0) return exitCodeOfFailures(failures, zones.length)
    return isPartial || segments > 0 || totals.isSkipped() ? exporterExitCodes.failed : exporterExitCodes.done
  } finally {
    await runtime.close()
  }
}
