import { createLoggingClient, type LogFilters, readLogs } from '@cdn/api'
import type { CommandContext } from '../program/command.ts'
import { formatCount } from './format.ts'
import { type Dimension, dimensions } from './options.ts'
import { type RangeOptions, resolveRange } from './range.ts'
import { prepareRead, progressText } from './read-zone.ts'
import { renderSummary } from './stats/render.ts'
import { summaryFields, summaryRows } from './stats/rows.ts'
import { createCounting } from './stats/summary.ts'

interface StatsOptions extends RangeOptions {
  readonly by?: readonly Dimension[] | undefined
  readonly top: number
}

const rowsPerProgress = 1000

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
  const range = resolveRange(options, context.now())
  const counting = createCounting(query.pullZoneId, range, by)
  try {
    for await (const row of readLogs(client, { ...query, ...range })) {
      counting.add(row)
      if (counting.requests() % rowsPerProgress !== 0) continue
      const has = `${formatCount(counting.requests())} rows`
      await line.show(progressText(has, range, Date.parse(row.timestamp) - range.from))
    }
  } finally {
    await line.clear().catch(() => {})
  }
  const summary = counting.summary(options.top)
  const { format, hasQuery, hasColumns } = output
  if (format === 'csv' && !hasQuery) return output.records(summaryRows(summary), { fields: summaryFields })
  const isDrawn = format === 'table' && !hasQuery && !hasColumns
  return isDrawn ? out.write(renderSummary(summary, out)) : output.value(summary)
}
