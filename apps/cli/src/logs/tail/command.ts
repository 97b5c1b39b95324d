import { createLoggingClient, hooks, readLogs, retentionMs } from '@cdn/api'
import type { TypedInput } from '../../command/command.ts'
import type { Context } from '../../context/context.ts'
import { type ExitCode, exitCodes, UsageError } from '../../errors/command-error.ts'
import type { Column, View } from '../../output/output.ts'
import { formatSpan } from '../figures.ts'
import { type filterOptions, filtersOf, type zoneArgument } from '../options.ts'
import { rowView } from '../row-fields.ts'
import { createStatusLine } from '../status-line.ts'
import { createReport, type TailRow } from './report.ts'
import { createSeen } from './seen.ts'
import { createServerClock } from './server-clock.ts'
import { createMemory, tail } from './tail.ts'
import { readToken, type Start, writeToken } from './token.ts'

type Options = TypedInput<{ zone: typeof zoneArgument }, typeof filterOptions>

/** What was typed; times are in milliseconds. */
export interface TailInput {
  readonly arguments: Options['arguments']
  readonly options: Options['options'] & {
    readonly since: number | undefined
    readonly resume: string | undefined
    readonly lateness: number | undefined
    readonly interval: number | undefined
    readonly for: number | undefined
    readonly 'show-authorization': boolean
  }
}

/** Where nothing else is said. Something is to be seen at once, if there is anything. */
const standard = { sinceMs: 10_000, latenessMs: 300_000, intervalMs: 2000 }

/**
 * Prints rows as they arrive, and at the end, however it comes, the token to resume from.
 *
 * @returns the exit code: failed where rows were lost
 */
export async function runTail(context: Context, { arguments: { zone }, options }: TailInput): Promise<ExitCode> {
  const { signal, sleep, output, err, platform } = context
  const clock = createServerClock(() => context.now().getTime())
  const filters = filtersOf(options)
  const began = clock.now()
  const { from, seen, isForgetful } = await startOf(options, context, began)
  const memory = createMemory(from, seen)
  const line = createStatusLine(err)
  const report = createReport(line, clock.now)
  const observed = hooks({ retry: (_call, { error, pauseMs }) => report.retry(error, pauseMs) })
  const client = createLoggingClient({ ...(await platform.options('logging')), use: [observed, clock.watch] })
  if (isForgetful)
    await line.note('what the token names is not on this machine: rows that had not settled come once more')
  const source = {
    read: (start: number, to: number) => readLogs(client, { ...filters, pullZoneId: zone, from: start, to, signal }),
    now: clock.now,
    sleep,
  }
  const plan = {
    until: options.for === undefined ? undefined : began + options.for,
    latenessMs: options.lateness ?? standard.latenessMs,
    intervalMs: options.interval ?? standard.intervalMs,
    retentionMs,
  }
  const events = tail(source, plan, memory)
  try {
    await output.records(report.rows(events), tailView(options['show-authorization']))
  } finally {
    await report.end(() => writeToken(context.env, memory.settled, seen, retentionMs)).catch(() => {})
  }
  return report.hasLost() ? exitCodes.failed : exitCodes.done
}

function tailView(showsCredentials: boolean): View<TailRow> {
  const view = rowView(showsCredentials)
  const late: Column<TailRow> = {
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

async function startOf({ since, resume }: TailInput['options'], { env }: Context, now: number): Promise<Start> {
  if (resume === undefined) return { from: now - (since ?? standard.sinceMs), seen: createSeen(), isForgetful: false }
  if (since !== undefined) throw new UsageError('Give --since or --resume, not both')
  return readToken(env, resume)
}
