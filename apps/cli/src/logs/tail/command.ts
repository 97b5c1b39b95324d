import { createLoggingClient, type LogFilters, type LogRow, type RetryReason, readLogs, retentionMs } from '@cdn/api'
import type { CommandContext } from '../../commands/program/command.ts'
import { resolveZone } from '../../target/zones.ts'
import { cliExitCodes, type ExitCode } from '../../terminal/command-error.ts'
import { formatCount, formatSpan } from '../figures.ts'
import { rowView } from '../row-fields.ts'
import { createStatusLine, describeRetry, type StatusLine } from '../status-line.ts'
import { createTailClock, type TailEvent, tail } from './tail.ts'

interface TailOptions {
  readonly since?: number | undefined
  readonly lateness?: number | undefined
  readonly interval?: number | undefined
  readonly for?: number | undefined
}

const defaults = { sinceMs: 10_000, latenessMs: 300_000, intervalMs: 2000 }

/**
 * Prints rows as they arrive.
 *
 * @returns the exit code: failed if rows were lost
 */
export async function runTail(
  context: CommandContext,
  zone: string,
  options: TailOptions,
  filters: LogFilters,
): Promise<ExitCode> {
  const { signal, sleep, output, platform } = context
  const clock = createTailClock(() => context.now().getTime())
  const began = clock.now()
  const line = createStatusLine(context)
  const report = createReport(line, clock.now)
  const client = createLoggingClient({ ...(await platform.options('logging')), wrap: [clock.watch] })
  const pullZoneId = await resolveZone(context, zone)
  const query = { ...filters, pullZoneId, signal, onRetry: report.retry }
  const source = {
    read: (start: number, to: number) => readLogs(client, { ...query, from: start, to }),
    now: clock.now,
    sleep,
  }
  const plan = {
    from: began - (options.since ?? defaults.sinceMs),
    until: options.for === undefined ? undefined : began + options.for,
    latenessMs: options.lateness ?? defaults.latenessMs,
    intervalMs: options.interval ?? defaults.intervalMs,
    retentionMs,
  }
  const events = tail(source, plan)
  try {
    await output.records(report.rows(events), { ...rowView(context.showsSecrets), isEndless: true })
  } finally {
    await report.end().catch(() => {})
  }
  return report.hasLost() ? cliExitCodes.failed : cliExitCodes.done
}

/**
 * Reports the state of a tail on standard error, and passes on its rows. At the end, it writes a summary.
 *
 * @param now the platform's time in milliseconds since 1970
 */
function createReport(line: StatusLine, now: () => number) {
  let [hasRead, hasLost] = [false, false]
  let [rows, failures] = [0, 0]
  const counts = () => `${formatCount(rows)} rows`
  const iso = (ms: number) => new Date(ms).toISOString()

  async function report(event: Exclude<TailEvent, { kind: 'row' }>): Promise<void> {
    if (event.kind === 'read') {
      hasRead = true
      const failed = failures > 0 ? ` · failed requests: ${formatCount(failures)}` : ''
      return line.show(`${counts()} · ${formatSpan(Math.max(0, now() - event.reached))} behind${failed}`)
    }
    if (event.kind === 'failure') {
      failures++
      return line.note(`${event.error.message}; retrying in ${formatSpan(event.pauseMs)}`)
    }
    hasLost = true
    return line.note(`LOST: the rows from ${iso(event.from)} to ${iso(event.to)}: ${event.why}`)
  }

  return {
    async *rows(events: AsyncIterable<TailEvent>): AsyncGenerator<LogRow, void, void> {
      for await (const event of events) {
        if (event.kind !== 'row') {
          await report(event)
          continue
        }
        rows++
        await line.clear()
        yield event.row
      }
    },
    retry(reason: RetryReason) {
      failures++
      line.show(`${counts()} · ${describeRetry(reason)}`).catch(() => {})
    },
    hasLost: () => hasLost,
    end: async () => {
      if (hasRead || rows > 0) await line.note(`${counts()}.`)
    },
  }
}
