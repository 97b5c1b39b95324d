import { createLoggingClient, type LogFilters, type LoggingClient, readLogs } from '@cdn/api'
import type { CommandContext } from '../commands/program/command.ts'
import type { View } from '../output/create-output.ts'
import { resolveZone } from '../target/zones.ts'
import { formatCount, formatShare } from './figures.ts'
import { type Dimension, dimensions } from './options.ts'
import { commandRange, type RangeOptions } from './range.ts'
import { renderSummary } from './stats/render.ts'
import { createCounting, type LogStatistics } from './stats/summary.ts'
import { createStatusLine, retryNotice, type StatusLine } from './status-line.ts'

interface StatsOptions extends RangeOptions {
  readonly by?: readonly Dimension[] | undefined
  readonly top: number
  readonly watch?: number | undefined
}

const rowsBetween = 1000
const clearScreen = '\u001b[H\u001b[2J'

/** Prints the summary of a range: once, or repeatedly with `--watch`. */
export async function runStats(
  context: CommandContext,
  zone: string,
  options: StatsOptions,
  filters: LogFilters,
): Promise<void> {
  const { output, out } = context
  const line = createStatusLine(context)
  const client = createLoggingClient(await context.platform.options('logging'))
  const pullZoneId = await resolveZone(context, zone)
  const isRedrawn = options.watch !== undefined && out.isTerminal && output.format === 'table' && !output.isShaped
  for (;;) {
    const summary = await summarize(context, client, line, { ...options, filters, pullZoneId })
    if (isRedrawn) await out.write(clearScreen + firstLines(renderSummary(summary, out), out.height() - 1))
    else await print(context, summary)
    if (options.watch === undefined) return
    await context.sleep(options.watch)
  }
}

function firstLines(text: string, count: number): string {
  return text
    .split(/(?<=\n)/)
    .slice(0, count)
    .join('')
}

async function summarize(
  context: CommandContext,
  client: LoggingClient,
  line: StatusLine,
  options: StatsOptions & { readonly filters: LogFilters; readonly pullZoneId: number | bigint },
): Promise<LogStatistics> {
  const { pullZoneId, filters } = options
  const range = commandRange(options, context.now())
  const by = dimensions.filter((dimension) => options.by?.includes(dimension) ?? true)
  const counting = createCounting(pullZoneId, range, by)
  try {
    const query = { ...filters, pullZoneId, ...range, signal: context.signal, onRetry: retryNotice(line) }
    for await (const row of readLogs(client, query)) {
      counting.add(row)
      if (counting.requests() % rowsBetween !== 0) continue
      const done = (Date.parse(row.timestamp) - range.from) / (range.to - range.from)
      await line.show(`${formatCount(counting.requests())} rows · ${formatShare(done)} of the range`)
    }
  } finally {
    await line.clear().catch(() => {})
  }
  return counting.summary(options.top)
}

async function print({ output, out }: CommandContext, summary: LogStatistics): Promise<void> {
  if (output.format === 'json' || output.isQueried) return output.value(summary)
  if (output.format === 'table' && !output.isShaped) return out.write(renderSummary(summary, out))
  return output.records(toRecords(summary), recordView)
}

/** The view of NDJSON and CSV lines: `by` is `total`, `time` or a field. The shape is stable. */
const recordView: View<object> = {
  fields: ['by', 'value', 'requests', 'share', 'error', 'hitRatio', 'bytes'],
}

function* toRecords({ requests, hitRatio, bytes, by, overTime }: LogStatistics): Generator<object> {
  const shareOf = (count: number) => (requests === 0 ? null : count / requests)
  yield { by: 'total', value: null, requests, share: shareOf(requests), error: 0, hitRatio, bytes }
  for (const [name, { values, error }] of Object.entries(by)) {
    for (const { value, requests: count, share } of values) yield { by: name, value, requests: count, share, error }
  }
  for (const { from: value, serverErrors: _, requests: count, ...others } of overTime.points) {
    yield { by: 'time', value, requests: count, share: shareOf(count), error: 0, ...others }
  }
}
