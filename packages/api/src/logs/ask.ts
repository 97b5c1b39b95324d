import { IncompleteLogsError } from '../errors/incomplete-logs-error.ts'
import { retentionMs } from '../gen/limits.ts'
import { type Attempt, retry, troubleOf } from '../retry.ts'
import { type Page, parsePage } from './page.ts'
import { type LogFilters, queryPath } from './row.ts'
import type { Source } from './source.ts'

/** What is walked: a pull zone and a range in ms, from inclusive, to exclusive. */
export interface Walk {
  readonly pullZoneId: number | bigint
  readonly from: number
  readonly to: number
  readonly filters: LogFilters
  readonly pageSize: number
}

interface AskOptions {
  readonly filters?: LogFilters
  readonly offset?: number
  /** More was announced, so an answer without rows is believed only when seen twice. */
  readonly doubtEmpty?: boolean
  /** Looks for what is wrong with a page beyond its own form. */
  readonly check?: (page: Page) => string | undefined
}

/** Asks for the page of a part of the walk, from inclusive, to exclusive, in ms of the shown timestamp. */
export type Ask = (from: number, to: number, options?: AskOptions) => Promise<Page>

/**
 * Makes the requests of one walk: rate limit, retries, and the margin of 1 ms on both sides, since a store may be finer
 * than the timestamps it shows, and round.
 *
 * At the edge of the retention the margin before the start is refused (400, supplement). The first request then goes out
 * again without it: rows that round up into the first millisecond are about to be deleted at that point. The margin
 * after the end is left out where the range would become longer than the retention, which is refused too; neither
 * rounding nor cutting moves a row from there into the range.
 *
 * @returns a function that rejects with a LoggingError or TransportError that does not pass, with an IncompleteLogsError
 *   where the answers cannot be trusted, or with the signal's reason
 */
export function createAsk({ client, limiter, sleep, signal }: Source, walk: Walk): Ask {
  const { pullZoneId, pageSize: limit } = walk
  const ceiling = walk.to - walk.from + 2 > retentionMs ? walk.to : walk.to + 1
  let floor = walk.from - 1

  return (from, to, { filters = walk.filters, offset = 0, doubtEmpty = false, check } = {}) => {
    let emptySeen = 0
    const attempt = async (): Promise<Attempt<Page>> => {
      const asked = { pullZoneId, from: Math.max(from - 1, floor), to: Math.min(to + 1, ceiling), limit, offset }
      const range = { from: new Date(asked.from).toISOString(), to: new Date(asked.to).toISOString() }
      const options = {
        params: { path: { pullZoneId }, query: { ...filters, ...range, limit, offset, order: 'asc' as const } },
        signal,
      }
      const { data, error, response } = await limiter.run(pullZoneId, () => client.GET(queryPath, options), signal)
      if (error) {
        signal?.throwIfAborted()
        if (error.status !== 400 || asked.from >= walk.from) return troubleOf(error, response)
        floor = walk.from
        return { trouble: error, retryAfterMs: 0 }
      }
      const page = parsePage(data, asked)
      const wrong = typeof page === 'string' ? page : check?.(page)
      if (typeof page === 'string' || wrong) {
        return { trouble: new IncompleteLogsError(pullZoneId, from, to, wrong ?? '') }
      }
      const isEnd = page.rows.length === 0 && !page.hasMore
      if (isEnd && (page.isNull || doubtEmpty) && ++emptySeen < 2) {
        return { trouble: new IncompleteLogsError(pullZoneId, from, to, 'the answer is empty') }
      }
      return { value: page }
    }
    return retry(attempt, sleep, signal)
  }
}
