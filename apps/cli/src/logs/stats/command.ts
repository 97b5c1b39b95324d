import { createLoggingClient, readLogs, retentionMs } from '@cdn/api'
import type { TypedInput } from '../../command/command.ts'
import type { Context } from '../../context/context.ts'
import type { View } from '../../output/output.ts'
import { formatCount, formatShare } from '../figures.ts'
import { type filterOptions, filtersOf, type rangeOptions, type zoneArgument } from '../options.ts'
import { toRange } from '../range.ts'
import { retryNotice } from '../retry-notice.ts'
import { createStatusLine } from '../status-line.ts'
import { renderSummary } from './render.ts'
import { createCounting, type Dimension, dimensions, type Summary } from './summary.ts'

type Options = TypedInput<{ zone: typeof zoneArgument }, typeof filterOptions & typeof rangeOptions>

/** What was typed. */
export interface StatsInput {
  readonly arguments: Options['arguments']
  readonly options: Options['options'] & { readonly by: readonly Dimension[]; readonly top: number }
}

/** Where nothing says when the range begins. */
const standardMs = 3_600_000
/** The line of progress is drawn after so many rows. */
const rowsBetween = 1000

/** Counts the rows of a range and prints the summary. */
export async function runStats(context: Context, { arguments: { zone }, options }: StatsInput): Promise<void> {
  const { output, out } = context
  const range = toRange(options, context.now().getTime(), standardMs, retentionMs)
  const by = dimensions.filter((dimension) => options.by.length === 0 || options.by.includes(dimension))
  const line = createStatusLine(context.err)
  const client = createLoggingClient({ ...(await context.platform.options('logging')), use: [retryNotice(line)] })
  const counting = createCounting(zone, range, by)
  try {
    const rows = readLogs(client, { ...filtersOf(options), pullZoneId: zone, ...range, signal: context.signal })
    for await (const row of rows) {
      counting.add(row)
      if (counting.requests() % rowsBetween !== 0) continue
      const done = (Date.parse(row.timestamp) - range.from) / (range.to - range.from)
      await line.show(`${formatCount(counting.requests())} rows · ${formatShare(done)} of the range`)
    }
  } finally {
    await line.clear().catch(() => {})
  }
  const summary = counting.summary(options.top)
  if (output.isQueried || output.format === 'json') return output.value(summary)
  if (output.format === 'table') return out.write(renderSummary(summary, out))
  return output.records(toRecords(summary), recordView)
}

/** One line of NDJSON or CSV: the shape is stable. */
interface StatsRecord {
  /** `total`, `time`, or a field. */
  readonly by: string
  /** The value of the field; the begin of the step for `time`. */
  readonly value: string | null
  readonly requests: number
  /** Of all requests. */
  readonly share: number | null
  /** By how much `requests` may be too low. */
  readonly error: number
  /** For `total` and `time`. */
  readonly hitRatio?: number | null
  readonly bytes?: number | bigint
}

const recordView: View<StatsRecord> = {
  columns: [],
  fields: ['by', 'value', 'requests', 'share', 'error', 'hitRatio', 'bytes'],
}

function* toRecords({ requests, hitRatio, bytes, by, overTime }: Summary): Generator<StatsRecord> {
  const shareOf = (count: number) => (requests === 0 ? null : count / requests)
  yield { by: 'total', value: null, requests, share: shareOf(requests), error: 0, hitRatio, bytes }
  for (const [name, { values, error }] of Object.entries(by)) {
    for (const { value, requests: count, share } of values) yield { by: name, value, requests: count, share, error }
  }
  for (const point of overTime.points) {
    const { from, requests: count } = point
    yield {
      by: 'time',
      value: from,
      requests: count,
      share: shareOf(count),
      error: 0,
      hitRatio: point.hitRatio,
      bytes: point.bytes,
    }
  }
}
