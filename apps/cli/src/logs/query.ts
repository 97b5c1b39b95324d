import {
  createLimiter,
  createLoggingClient,
  type LogFilters,
  type LoggingClient,
  type LogRow,
  maxPageSize,
  type ReaderOptions,
  readLogs,
  unwrap,
} from '@cdn/api'
import type { CommandContext } from '../program/command.ts'
import { isNamed } from '../terminal/command-error.ts'
import { formatCount } from './format.ts'
import { type RangeOptions, resolveRange, type TimeRange } from './range.ts'
import { prepareRead, progressText } from './read-zone.ts'
import { rowView } from './row-fields.ts'

/**
 * Rows requested beyond the limit, because `readLogs` holds back the last millisecond of a page, and rows of one millisecond do not
 * show the order of a page.
 */
const spare = 50
const rowsPerProgress = 1000

interface QueryOptions extends RangeOptions {
  readonly order: 'asc' | 'desc'
  readonly limit: number
  readonly all?: true | undefined
}

export async function runQuery(
  context: CommandContext,
  zone: string,
  options: QueryOptions,
  filters: LogFilters,
): Promise<void> {
  const { output, err } = context
  const range = resolveRange(options, context.now())
  const limit = options.all ? Number.POSITIVE_INFINITY : options.limit
  const isAscending = options.order === 'asc'
  const { line, options: clientOptions, query } = await prepareRead(context, zone, filters)
  const client = createLoggingClient({ ...clientOptions, limiter: createLimiter() })
  const rows = isAscending
    ? readLogs(client, { ...query, ...range, pageSize: Math.min(limit + spare, maxPageSize) })
    : readNewest(client, { ...query, ...range }, limit)
  async function* take() {
    let count = 0
    for await (const row of rows) {
      if (context.out.isTerminal) await line.clear()
      yield row
      if (++count >= limit) return
      if (context.out.isTerminal || count % rowsPerProgress !== 0) continue
      const time = Date.parse(row.timestamp)
      await line.show(
        progressText(`${formatCount(count)} rows`, range, isAscending ? time - range.from : range.to - time),
      )
    }
    // A person at a terminal must not take an empty result for a command that failed.
    if (count === 0 && err.isTerminal) await line.note('No row of this range matches.')
  }
  try {
    await output.records(take(), rowView(context.showsSecrets))
  } finally {
    await line.clear().catch(() => {})
  }
}

interface NewestQuery extends TimeRange, LogFilters {
  readonly pullZoneId: number | bigint
  readonly signal: AbortSignal
  readonly onRetry?: ReaderOptions['onRetry']
}

/** Maximum number of rows in memory, unless they share one millisecond. */
const maxRowsInMemory = 20_000
const firstSpanMs = 60_000

/**
 * Reads rows newest first. The first page is requested in that order, and is usually enough. Older rows are read in time ranges
 * with `readLogs`, which leaves no gaps but returns the oldest row first, so each range is reversed. Pages by offset are not used:
 * they would shift when rows arrive late.
 *
 * The first page may lack rows of its oldest millisecond, so that millisecond is read with the next older range. (The filters
 * `country` and `search` make pages short, but the omitted rows do not match.)
 *
 * @param limit number of rows that is enough; Infinity for all. More may be returned
 * @throws errors of `readLogs`
 */
export async function* readNewest(
  client: LoggingClient,
  query: NewestQuery,
  limit: number,
): AsyncGenerator<LogRow, void, void> {
  const page = await firstPage(client, query, limit)
  yield* page.rows
  let span = page.spanMs
  let oldest = query.from
  let failure: unknown
  for (let to = page.reached; to > oldest; ) {
    const from = Math.max(oldest, to - span)
    const rows: LogRow[] = []
    const isTooLong = () => rows.length > maxRowsInMemory && to - from > 1
    try {
      for await (const row of readLogs(client, { ...query, from, to })) {
        rows.push(row)
        if (isTooLong()) break
      }
    } catch (error) {
      if (!isNamed(error, 'IncompleteLogsError')) throw error
      // The rows after the gap are newer, so they come before the error. If they have another gap, the error names that one.
      failure = error
      oldest = Date.parse(error.gap.to)
      continue
    }
    if (isTooLong()) {
      span = Math.max(1, Math.floor((to - from) / 2))
      continue
    }
    yield* rows.reverse()
    to = from
    if (rows.length < maxRowsInMemory / 4) span *= 2
  }
  if (failure) throw failure
}

/** @returns the rows of the newest page, the time from which they are complete, and the length of the next range in ms */
async function firstPage(
  client: LoggingClient,
  { pullZoneId, from, to, signal, onRetry: _, ...filters }: NewestQuery,
  limit: number,
) {
  // A store may have finer timestamps than it shows, and round them up. So a row that shows the time `from` may lie just before it
  // (docs/decisions/reading-by-time.md). The platform refuses that extra millisecond at the edge of the retention; `resolveRange`
  // keeps away from that edge.
  const bounds = { from: new Date(from - 1).toISOString(), to: new Date(to).toISOString() }
  const first = {
    ...filters,
    ...bounds,
    order: 'desc' as const,
    limit: Math.min(limit + spare, maxPageSize),
    offset: 0,
  }
  const params = { path: { pullZoneId }, query: first }
  const data = await unwrap(client.GET('/v2/pullzones/{pullZoneId}/logs', { params, signal }))
  // A response that violates the contract, or that may be in ascending order, is not trusted: `readLogs` then reports it, or reads the
  // rows.
  const all = Array.isArray(data?.data) ? (data.data as LogRow[]) : [] // a row may have further fields
  const timeOf = (row: LogRow) => Date.parse(row?.timestamp)
  const times = all.map(timeOf)
  const isDescending = times.every((time, n) => time <= (times[n - 1] ?? time))
  const isWhole = data?.pagination?.hasMore === false
  const isTrusted = data?.pagination?.returned === all.length && isDescending && (isWhole || times[0] !== times.at(-1))
  if (!isTrusted) return { rows: [], reached: to, spanMs: firstSpanMs }
  const within = all.filter((row) => timeOf(row) >= from && timeOf(row) < to)
  // If the page has enough rows, it does not matter whether it has all rows of its oldest millisecond.
  if (isWhole || within.length >= limit) return { rows: within, reached: from, spanMs: 0 }
  const oldest = times.at(-1) ?? to
  const rows = within.filter((row) => timeOf(row) > oldest)
  return { rows, reached: Math.max(from, Math.min(to, oldest + 1)), spanMs: Math.max(1000, to - oldest) }
}
