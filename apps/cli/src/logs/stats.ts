import { createLoggingClient, type LoggingClient, readLogs } from '@cdn/api'
import type { CommandContext, TypedInput } from '../commands/program/declaration.ts'
import type { View } from '../output/create-output.ts'
import { resolveZone } from '../target/zones.ts'
import { formatCount, formatShare } from './figures.ts'
import { dimensions, filtersOf, type statsOptions, type zoneArgument } from './options.ts'
import { commandRange } from './range.ts'
import { renderSummary } from './stats/render.ts'
import { createCounting, type LogStatistics } from './stats/summary.ts'
import { createStatusLine, retryNotice, type StatusLine } from './status-line.ts'

type StatsInput = TypedInput<typeof zoneArgument, typeof statsOptions>

const rowsBetween = 1000
const clearScreen = '\u001b[H\u001b[2J'

/** Prints the summary of a range: once, or repeatedly with `--watch`. */
export async function runStats(context: CommandContext, { arguments: { zone }, options }: StatsInput): Promise<void> {
  const { output, out } = context
  const line = createStatusLine(context.err)
  const client = createLoggingClient(await context.platform.options('logging'))
  const pullZoneId = await resolveZone(context, zone)
  const isRedrawn = options.watch !== undefined && out.isTerminal && output.format === 'table' && !output.isQueried
  for (;;) {
    const summary = await summarize(context, client, line, { ...options, pullZoneId })
    if (isRedrawn) await out.write(clearScreen)
    await print(context, summary)
    if (options.watch === undefined) return
    await context.sleep(options.watch)
  }
}

async function summarize(
  context: CommandContext,
  client: LoggingClient,
  line: StatusLine,
  options: StatsInput['options'] & { readonly pullZoneId: number | bigint },
): Promise<LogStatistics> {
  const { pullZoneId } = options
  const range = commandRange(options, context.now().getTime())
  const by = dimensions.filter((dimension) => options.by.length === 0 || options.by.includes(dimension))
  const counting = createCounting(pullZoneId, range, by)
  try {
    const query = { ...filtersOf(options), pullZoneId, ...range, signal: context.signal, onRetry: retryNotice(line) }
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
  if (output.isQueried || output.format === 'json') return output.value(summary)
  if (output.format === 'table') return out.write(renderSummary(summary, out))
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
