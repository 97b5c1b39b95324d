import { createLoggingClient, type LogFilters, type LogRow, type RetryReason, readLogs, retentionMs } from '@cdn/api'
import { createServerClock } from '@cdn/kit/server-clock'
import type { CommandContext } from '../../program/command.ts'
import { cliExitCodes, type ExitCode } from '../../terminal/command-error.ts'
import { formatCount, formatSpan } from '../format.ts'
import { prepareRead } from '../read-zone.ts'
import { rowView } from '../row-fields.ts'
import { describeRetry } from '../status-line.ts'
import { type TailEvent, tail } from './tail.ts'

interface TailOptions {
  readonly since: number
  readonly lateness: number
  readonly interval: number
  readonly for?: number | undefined
}

/**
 * Prints rows as they arrive, the progress on the status line, and the number of rows at the end.
 *
 * @returns the exit code: failed if rows were lost
 */
export async function runTail(
  context: CommandContext,
  zone: string,
  options: TailOptions,
  filters: LogFilters,
): Promise<ExitCode> {
  // With a fast clock, windows would close before late rows arrive. Each single response corrects the clock: a tail only shows rows, so a
  // wrong Date costs one repeated read. The exporter records what it has read, so its clock waits for a second response.
  const clock = createServerClock(() => context.now().getTime(), { confirms: false })
  const began = clock.now()
  const { line, options: clientOptions, query } = await prepareRead(context, zone, filters)
  const client = createLoggingClient({ ...clientOptions, wrap: [clock.watch] })
  let [hasRead, hasLost] = [false, false]
  let [rows, failures] = [0, 0]
  const counts = () => `${formatCount(rows)} rows`
  const iso = (ms: number) => new Date(ms).toISOString()
  const onRetry = (reason: RetryReason) => {
    failures++
    line.show(`${counts()} · ${describeRetry(reason)}`).catch(() => {})
  }
  const report = async (event: TailEvent): Promise<void> => {
    if (event.kind === 'read') {
      hasRead = true
      const failed = failures > 0 ? ` · failed requests: ${formatCount(failures)}` : ''
      return line.show(`${counts()} · ${formatSpan(Math.max(0, clock.now() - event.reached))} behind${failed}`)
    }
    if (event.kind === 'failure') {
      failures++
      return line.note(`${event.error.message}; retrying in ${formatSpan(event.pauseMs)}`)
    }
    hasLost = true
    return line.note(`LOST: the rows from ${iso(event.from)} to ${iso(event.to)}: ${event.why}`)
  }
  const source = {
    read: (from: number, to: number) => readLogs(client, { ...query, onRetry, from, to }),
    now: clock.now,
    sleep: context.sleep,
    report,
  }
  const plan = {
    from: began - options.since,
    until: options.for === undefined ? undefined : began + options.for,
    latenessMs: options.lateness,
    intervalMs: options.interval,
    retentionMs,
  }
  async function* counted(): AsyncGenerator<LogRow, void, void> {
    for await (const row of tail(source, plan)) {
      rows++
      await line.clear()
      yield row
    }
  }
  try {
    await context.output.records(counted(), { ...rowView(context.showsSecrets), isEndless: true })
  } finally {
    await line.clear().catch(() => {})
    if (hasRead || rows > 0) await context.err.write(`Printed ${counts()}.\n`)
  }
  return hasLost ? cliExitCodes.failed : cliExitCodes.done
}
