import { createLoggingClient, type LogFilters, readLogs } from '@cdn/api'
import type { CommandContext } from '../program/command.ts'
import { formatCount } from './figures.ts'
import { type Dimension, dimensions } from './options.ts'
import { commandRange, type RangeOptions } from './range.ts'
import { prepareRead, progressText } from './read-zone.ts'
import { renderSummary } from './stats/render.ts'
import { summaryFields, summaryRows } from './stats/rows.ts'
import { createCounting } from './stats/summary.ts'

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
  const { line, options: clientOptions, query } = await prepareRead(context, zone, filters)
  const client = createLoggingClient(clientOptions)
  const by = dimensions.filter((dimension) => options.by?.includes(dimension) ?? true)
  const summarize = async () => {
    const range = commandRange(options, context.now())
    const counting = createCounting(query.pullZoneId, range, by)
    try {
      for await (const row of readLogs(client, { ...query, ...range })) {
        counting.add(row)
        if (counting.requests() % rowsBetween !== 0) continue
        const has = `${formatCount(counting.requests())} rows`
        await line.show(progressText(has, range, Date.parse(row.timestamp) - range.from))
      }
    } finally {
      await line.clear().catch(() => {})
    }
    return counting.summary(options.top)
  }
  async function* summaries() {
    yield await summarize()
    while (options.watch !== undefined) {
      await context.sleep(options.watch)
      yield await summarize()
    }
  }
  async function* rows() {
    for await (const summary of summaries()) yield* summaryRows(summary)
  }
  if (output.format === 'csv' && !output.hasQuery)
    return output.records(rows(), { fields: summaryFields, ...(options.watch !== undefined && { isEndless: true }) })
  const isDrawn = output.format === 'table' && !output.hasQuery && !output.hasColumns
  for await (const summary of summaries()) {
    if (!isDrawn) await output.value(summary)
    else if (options.watch === undefined || !out.isTerminal) await out.write(renderSummary(summary, out))
    else await out.write(clearScreen + firstLines(renderSummary(summary, out), out.height() - 1))
  }
}

function firstLines(text: string, count: number): string {
  return text
    .split(/(?<=\n)/)
    .slice(0, count)
    .join('')
}
