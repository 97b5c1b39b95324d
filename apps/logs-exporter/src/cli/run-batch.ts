import { plural } from '@cdn/kit/plural'
import type { Config } from '../config/config.ts'
import { describeError } from '../errors.ts'
import { writeRows } from '../stdout.ts'
import type { ExporterContext } from './context.ts'
import { type Counts, createCounts, deadLettersText, summaryOf } from './counts.ts'
import { exitCodeOfFailures, exporterExitCodes } from './exit-codes.ts'
import { createLog, logEvents } from './log.ts'
import { openRuntime, type Runtime } from './open-runtime.ts'

/** What an export did with a zone. The sentences do not name the zone. */
export interface ZoneResult {
  readonly zone: string
  /** Why the zone was given up. */
  readonly error: Error | undefined
  /** One sentence per exported range. */
  readonly exported?: readonly string[]
  /** One sentence per range that has not closed, or whose rows cannot be read yet or any more. */
  readonly left: readonly string[]
  /** One sentence per range that is lost. */
  readonly lost: readonly string[]
}

/** The stream for the result of a command: `out`, or `err` if the rows are written to `out`. */
export function resultStream({ stdout }: Config, { out, err }: ExporterContext): ExporterContext['out'] {
  return stdout ? err : out
}

/**
 * Runs an export that ends by itself, then writes its rows to standard output if configured. Writes the sentences of its result and a
 * summary.
 *
 * @param config with all its zones, which the ledger keeps
 * @param zones the zones to export
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
  work: (runtime: Runtime, counts: () => Counts) => Promise<readonly ZoneResult[]>,
): Promise<number> {
  const { env, err, signal } = context
  const { counts, rejected, observe } = createCounts()
  const begun = performance.now()
  await using runtime = await openRuntime({ ...config, zones }, env)
  const { engine, stdout, observers } = runtime
  observers.push(observe, logEvents(createLog(err)))
  await runtime.forgetOthers([...config.zones, ...config.paused])
  await engine.sink.check(signal)
  const reachAndWork = async () => {
    // If the platform does not answer this request, it would answer no zone.
    if (zones[0] !== undefined) await engine.reader.synchronize(zones[0], signal)
    return work(runtime, counts)
  }
  // The rows of earlier runs are written in any case.
  const results = await reachAndWork().finally(() => stdout && writeRows({ ...stdout, signal }, { untilWritten: true }))
  const isLost = results.some(({ lost }) => lost.length > 0)
  if (signal.aborted) return isLost ? exporterExitCodes.lost : exporterExitCodes.interrupted
  const { segments = 0 } = (await engine.ledger.stdoutLag()) ?? {}
  const behind = segments > 0 ? [`standard output: ${plural(segments, 'segment')} left; repeat, or start run`] : []
  const letters = [...rejected].map(([origin, count]) => deadLettersText(config.ledger, origin, count))
  const place = resultStream(config, context)
  for (const line of [...behind, ...results.flatMap(linesOf), ...letters, summaryOf(counts(), begun)])
    place.write(`${line}\n`)
  if (isLost) return exporterExitCodes.lost
  const errors = results.flatMap(({ error }) => error ?? [])
  if (errors.length > 0) return exitCodeOfFailures(errors, zones.length)
  const isPartial = segments > 0 || rejected.has('stdout') || results.some(({ left }) => left.length > 0)
  return isPartial ? exporterExitCodes.failed : exporterExitCodes.done
}

function linesOf({ zone, error, exported = [], left, lost }: ZoneResult): string[] {
  const done = error ? [`failed: ${describeError(error).message}`] : exported
  return [...done, ...left, ...lost].map((text) => `zone ${zone}: ${text}`)
}
