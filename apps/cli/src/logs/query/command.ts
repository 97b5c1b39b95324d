import { createLimiter, createLoggingClient, type LogRow, maxPageSize, readLogs } from '@cdn/api'
import type { TypedInput } from '../../commands/program/declaration.ts'
import { resolveZone } from '../../operations/resolve-zone.ts'
import type { CommandContext } from '../../terminal/context.ts'
import { filtersOf, type queryOptions, type zoneArgument } from '../options.ts'
import { commandRange } from '../range.ts'
import { rowView } from '../row-fields.ts'
import { createStatusLine, retryNotice, type StatusLine } from '../status-line.ts'
import { readNewest } from './newest.ts'

/** Rows requested beyond the limit. Needed because the last millisecond of a page is read again with the next page. */
const spare = 50

/** Prints the rows of a range. */
export async function runQuery(
  context: CommandContext,
  { arguments: { zone }, options }: TypedInput<typeof zoneArgument, typeof queryOptions>,
): Promise<void> {
  const { signal, output, err, platform, now } = context
  const range = commandRange(options, now().getTime())
  const limit = options.all ? Number.POSITIVE_INFINITY : options.limit
  const line = createStatusLine(err)
  const clientOptions = { ...(await platform.options('logging')), limiter: createLimiter() }
  const onRetry = retryNotice(line)
  const query = { pullZoneId: await resolveZone(context, zone), ...range, signal, onRetry }
  const filters = filtersOf(options)
  const pageSize = Math.min(limit + spare, maxPageSize)
  const rows =
    options.order === 'asc'
      ? readLogs(createLoggingClient(clientOptions), { ...filters, ...query, pageSize })
      : readNewest(clientOptions, { ...query, filters, limit })
  // A person at a terminal must not take an empty result for a command that failed.
  const onEmpty = async () => {
    if (err.isTerminal) await line.note('No row of this range matches.')
  }
  try {
    await output.records(take(rows, limit, line, onEmpty), rowView(options['show-authorization']))
  } finally {
    await line.clear().catch(() => {})
  }
}

async function* take(
  rows: AsyncIterable<LogRow>,
  limit: number,
  line: StatusLine,
  onEmpty: () => Promise<void>,
): AsyncGenerator<LogRow> {
  let left = limit
  let isEmpty = true
  for await (const row of rows) {
    await line.clear()
    isEmpty = false
    yield row
    if (--left < 1) return
  }
  if (isEmpty) await onEmpty()
}
