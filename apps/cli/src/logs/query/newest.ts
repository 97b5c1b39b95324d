import { idleTimeout, type LogFilters, type LoggingClient, type LogRow, largestPage, readLogs, retry } from '@cdn/api'
import type { Range } from '../range.ts'

/** What is read, and how. */
export interface NewestQuery extends Range {
  readonly pullZoneId: number | bigint
  readonly filters: LogFilters
  /** How many rows are wanted; more may come. Infinity for all. */
  readonly limit: number
  readonly signal: AbortSignal
}

/** More rows than this are not held at a time, unless they share one millisecond. */
const mostHeld = 20_000
const firstSpanMs = 60_000
const idleMs = 60_000

/**
 * Reads rows newest first. The first page is asked for in that order, and is most often enough. What is older is read in
 * stretches of time, oldest row first, as `readLogs` does it without gaps, and each stretch is turned round; pages by
 * offset would shift when rows arrive late.
 *
 * The page tells the truth down to its oldest row, whose millisecond may go on: rows of it are read with the stretch below.
 * (`country` and `search` make pages short, but what a page has left out does not match.)
 *
 * @throws what `readLogs` throws
 */
export async function* readNewest(client: LoggingClient, query: NewestQuery): AsyncGenerator<LogRow, void, void> {
  const page = await firstPage(client, query)
  yield* page.rows
  if (page.reached > query.from) yield* readBackwards(client, query, page.reached, page.spanMs)
}

async function firstPage(client: LoggingClient, { pullZoneId, filters, from, to, limit, signal }: NewestQuery) {
  // A store may be finer than the timestamps it shows, and round up: rows shown at `from` may lie before it (design §6). At
  // the edge of the retention that millisecond is refused, but `toRange` keeps away from it.
  const asked = { from: new Date(from - 1).toISOString(), to: new Date(to).toISOString() }
  const { data, error } = await client.GET('/v2/pullzones/{pullZoneId}/logs', {
    params: {
      path: { pullZoneId },
      query: { ...filters, ...asked, order: 'desc', limit: Math.min(limit, largestPage), offset: 0 },
    },
    signal,
    use: [retry(), idleTimeout(idleMs)],
  })
  signal.throwIfAborted()
  if (error) throw error
  const all: readonly LogRow[] = data?.data ?? []
  const times = all.map(({ timestamp }) => Date.parse(timestamp))
  const isTrusted =
    data && data.pagination?.returned === all.length && times.every((time, n) => time <= (times[n - 1] ?? time))
  if (!isTrusted) return { rows: [], reached: to, spanMs: firstSpanMs }
  const within = all.filter((_, n) => (times[n] ?? 0) >= from && (times[n] ?? 0) < to)
  // A page of rows that is all that is wanted may end within a millisecond: whichever of its rows are shown is open.
  if (!data.pagination.hasMore || within.length >= limit) return { rows: within, reached: from, spanMs: 0 }
  const oldest = times.at(-1)
  if (oldest === undefined) return { rows: [], reached: to, spanMs: firstSpanMs }
  const rows = within.filter(({ timestamp }) => Date.parse(timestamp) > oldest)
  return { rows, reached: Math.max(from, Math.min(to, oldest + 1)), spanMs: Math.max(1000, to - oldest) }
}

async function* readBackwards(client: LoggingClient, query: NewestQuery, end: number, spanMs: number) {
  let span = spanMs
  for (let to = end; to > query.from; ) {
    const from = Math.max(query.from, to - span)
    const rows = await collect(client, { ...query, from, to }, to - from > 1 ? mostHeld : Number.POSITIVE_INFINITY)
    if (!rows) {
      span = Math.max(1, Math.floor((to - from) / 2))
      continue
    }
    yield* rows.reverse()
    to = from
    if (rows.length < mostHeld / 4) span *= 2
  }
}

/** @returns the rows of a stretch, oldest first; undefined where there are more than may be held */
async function collect(client: LoggingClient, { pullZoneId, filters, from, to, signal }: NewestQuery, most: number) {
  const rows: LogRow[] = []
  for await (const row of readLogs(client, { ...filters, pullZoneId, from, to, signal })) {
    if (rows.push(row) > most) return undefined
  }
  return rows
}
