import { createLoggingClient, type LogRow, type RetryReason, readLogs, retentionMs } from '@cdn/api'
import type { TypedInput } from '../../commands/program/declaration.ts'
import { resolveZone } from '../../operations/resolve-zone.ts'
import type { TableColumn, View } from '../../output/output.ts'
import { cliExitCodes, type ExitCode, UsageError } from '../../terminal/command-error.ts'
import type { CommandContext } from '../../terminal/context.ts'
import { formatCount, formatSpan } from '../figures.ts'
import { filtersOf, type tailOptions, type zoneArgument } from '../options.ts'
import { rowView } from '../row-fields.ts'
import { createStatusLine, describeRetry, type StatusLine } from '../status-line.ts'
import { createSeen } from './seen.ts'
import { createMemory, createTailClock, type TailEvent, tail } from './tail.ts'
import { readToken, type Start, writeToken } from './token.ts'

type TailInput = TypedInput<typeof zoneArgument, typeof tailOptions>

const defaults = { sinceMs: 10_000, latenessMs: 300_000, intervalMs: 2000 }

/**
 * Prints rows as they arrive. However the tail ends, prints the token to resume from.
 *
 * @returns the exit code: failed if rows were lost
 */
export async function runTail(context: CommandContext, { arguments: { zone }, options }: TailInput): Promise<ExitCode> {
  const { signal, sleep, output, err, platform } = context
  const clock = createTailClock(() => context.now().getTime())
  const filters = filtersOf(options)
  const began = clock.now()
  const { from, seen, isForgetful } = await startOf(options, context, began)
  const memory = createMemory(from, seen)
  const line = createStatusLine(err)
  const report = createReport(line, clock.now)
  const client = createLoggingClient({ ...(await platform.options('logging')), wrap: [clock.watch] })
  if (isForgetful)
    await line.note('the state of the token is not on this machine: the latest rows may be printed again')
  const pullZoneId = await resolveZone(context, zone)
  const source = {
    read: (start: number, to: number) =>
      readLogs(client, { ...filters, pullZoneId, from: start, to, signal, onRetry: report.retry }),
    now: clock.now,
    sleep,
  }
  const plan = {
    until: options.for === undefined ? undefined : began + options.for,
    latenessMs: options.lateness ?? defaults.latenessMs,
    intervalMs: options.interval ?? defaults.intervalMs,
    retentionMs,
  }
  const events = tail(source, plan, memory)
  try {
    await output.records(report.rows(events), tailView(options['show-authorization']))
  } finally {
    await report.end(() => writeToken(context.env, memory.closedUntil, seen, retentionMs)).catch(() => {})
  }
  return report.hasLost() ? cliExitCodes.failed : cliExitCodes.done
}

function tailView(showsCredentials: boolean): View<TailRow> {
  const view = rowView(showsCredentials)
  const late: TableColumn<TailRow> = {
    title: 'late',
    value: ({ lateMs }) => (lateMs === undefined ? undefined : formatSpan(lateMs)),
    width: 6,
    align: 'right',
    isMinor: true,
  }
  const [time, ...others] = view.columns
  return {
    ...view,
    columns: [...(time ? [time] : []), late, ...others],
    fields: [...view.fields, 'lateMs'],
    isEndless: true,
  }
}

async function startOf({ since, resume }: TailInput['options'], { env }: CommandContext, now: number): Promise<Start> {
  if (resume === undefined) return { from: now - (since ?? defaults.sinceMs), seen: createSeen(), isForgetful: false }
  if (since !== undefined) throw new UsageError('Give --since or --resume, not both')
  return readToken(env, resume)
}

type TailRow = LogRow & {
  /** Age in ms of a row that arrived after newer ones; undefined for a row in order. */
  readonly lateMs?: number
}

/**
 * Reports the state of a tail on standard error, and passes on its rows. At the end, it writes a summary with the token from which
 * another tail can resume.
 *
 * @param now the platform's time in milliseconds since 1970
 */
function createReport(line: StatusLine, now: () => number) {
  let hasRead = false
  let hasLost = false
  let rows = 0
  let late = 0
  let latestMs = 0
  let failures = 0
  const counts = () => {
    const ofThem = late > 0 ? `, ${formatCount(late)} of them late (up to ${formatSpan(latestMs)})` : ''
    return `${formatCount(rows)} rows${ofThem}`
  }

  async function report(event: Exclude<TailEvent, { kind: 'row' }>): Promise<void> {
    switch (event.kind) {
      case 'read': {
        hasRead = true
        const failed = failures > 0 ? ` · failed requests: ${formatCount(failures)}` : ''
        return line.show(`${counts()} · ${formatSpan(Math.max(0, now() - event.reached))} behind${failed}`)
      }
      case 'failure':
        failures++
        return line.note(`${event.error.message}; retrying in ${formatSpan(event.pauseMs)}`)
      case 'lost':
        hasLost = true
        return line.note(`LOST: the rows from ${toIso(event.from)} to ${toIso(event.to)}: ${event.why}`)
    }
  }

  return {
    async *rows(events: AsyncIterable<TailEvent>): AsyncGenerator<TailRow, void, void> {
      for await (const event of events) {
        if (event.kind !== 'row') {
          await report(event)
          continue
        }
        const { row, lateMs } = event
        rows++
        if (lateMs !== undefined) {
          late++
          latestMs = Math.max(latestMs, lateMs)
        }
        await line.clear()
        yield lateMs === undefined ? row : { ...row, lateMs }
      }
    },
    retry(reason: RetryReason) {
      failures++
      line.show(`${counts()} · ${describeRetry(reason)}`).catch(() => {})
    },
    hasLost: () => hasLost,
    // Before the first read, the tail has no position to resume from.
    end: async (token: () => Promise<string>) => {
      if (hasRead || rows > 0) await line.note(`${counts()}. To resume: --resume ${await token()}`)
    },
  }
}

function toIso(ms: number): string {
  return new Date(ms).toISOString()
}
