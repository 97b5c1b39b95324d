import { createLoggingClient, type LogRow, largestPage, readLogs, retentionMs } from '@cdn/api'
import type { TypedInput } from '../../command/command.ts'
import type { Context } from '../../context/context.ts'
import { type filterOptions, filtersOf, type rangeOptions, type zoneArgument } from '../options.ts'
import { toRange } from '../range.ts'
import { retryNotice } from '../retry-notice.ts'
import { rowView } from '../row-fields.ts'
import { createStatusLine, type StatusLine } from '../status-line.ts'
import { readNewest } from './newest.ts'

type Options = TypedInput<{ zone: typeof zoneArgument }, typeof filterOptions & typeof rangeOptions>

/** What was typed. */
export interface QueryInput {
  readonly arguments: Options['arguments']
  readonly options: Options['options'] & {
    readonly order: 'asc' | 'desc'
    readonly limit: number
    readonly all: boolean
    readonly 'show-authorization': boolean
  }
}

/** Where nothing says when the range begins. */
const standardMs = 3_600_000
/** Rows asked for beyond the limit: those of a page's last millisecond are read with the next page, so a few more are needed. */
const spare = 50

/** Prints the rows of a range. */
export async function runQuery(context: Context, { arguments: { zone }, options }: QueryInput): Promise<void> {
  const { signal, output, err, platform, now } = context
  const range = toRange(options, now().getTime(), standardMs, retentionMs)
  const limit = options.all ? Number.POSITIVE_INFINITY : options.limit
  const line = createStatusLine(err)
  const client = createLoggingClient({ ...(await platform.options('logging')), use: [retryNotice(line)] })
  const query = { pullZoneId: zone, ...range, signal }
  const filters = filtersOf(options)
  const pageSize = Math.min(limit + spare, largestPage)
  const rows =
    options.order === 'asc'
      ? readLogs(client, { ...filters, ...query, pageSize })
      : readNewest(client, { ...query, filters, limit })
  try {
    await output.records(take(rows, limit, line), rowView(options['show-authorization']))
  } finally {
    await line.clear().catch(() => {})
  }
}

/** The line goes before a row comes. */
async function* take(rows: AsyncIterable<LogRow>, limit: number, line: StatusLine): AsyncGenerator<LogRow> {
  let left = limit
  for await (const row of rows) {
    await line.clear()
    yield row
    if (--left < 1) return
  }
}
