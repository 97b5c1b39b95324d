import { IncompleteLogsError } from '../errors/incomplete-logs-error.ts'
import { retentionMs } from '../gen/limits.ts'
import type { Middleware } from '../middleware.ts'
import { mayPass, retry } from '../retry.ts'
import { idleTimeout } from '../timeout.ts'
import type { Cut } from './cut-rows.ts'
import { checkPage, type Page } from './page.ts'
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
  /** The most rows that the page may have; the walk's page size where that is less. */
  readonly rows?: number
  /** Where the page is read into, if it has room there. */
  readonly room?: Uint8Array<ArrayBuffer> | undefined
  /** Less can be asked for instead: a failure of the platform or of the connection is repeated once only. */
  readonly isNarrowable?: boolean
  /** More was announced, so an answer without rows is believed only when seen twice. */
  readonly doubtEmpty?: boolean
  /** Looks for what is wrong with a page beyond its own form. */
  readonly check?: (page: Page) => string | undefined
}

/** Asks for the page of a part of the walk, from inclusive, to exclusive, in ms of the shown timestamp. */
export type Ask = (from: number, to: number, options?: AskOptions) => Promise<Page>

/**
 * Makes the requests of one walk: retries, doubts, and the margin of 1 ms on both sides, since a store may be finer than
 * the timestamps it shows, and round.
 *
 * At the edge of the retention the margin before the start is refused (400, supplement). The first request then goes out
 * again without it: rows that round up into the first millisecond are about to be deleted at that point. The margin
 * after the end is left out where the range would become longer than the retention, which is refused too; neither
 * rounding nor cutting moves a row from there into the range.
 *
 * @returns a function that rejects with a LoggingError or TransportError that does not pass, with an IncompleteLogsError
 *   where the answers cannot be trusted, or with the signal's reason
 */
export function createAsk({ client, idleMs, sleep, signal }: Source, walk: Walk, cut: Cut): Ask {
  const { pullZoneId, pageSize } = walk
  const ceiling = walk.to - walk.from + 2 > retentionMs ? walk.to : walk.to + 1
  let floor = walk.from - 1
  let expectedBytes = 65_536

  return async function ask(from, to, options = {}) {
    const { filters = walk.filters, offset = 0, rows = pageSize, room, isNarrowable, doubtEmpty, check } = options
    const limit = Math.min(rows, pageSize)
    const asked = { pullZoneId, from: Math.max(from - 1, floor), to: Math.min(to + 1, ceiling), limit, offset }
    let emptySeen = 0
    let wrong: string | undefined
    /** Throws for an answer that cannot be trusted, so that it is repeated. */
    const parse = (body: Uint8Array<ArrayBuffer>): Page => {
      expectedBytes = Math.max(expectedBytes, Math.ceil(body.length * 1.1))
      const page = checkPage(cut(body, limit), asked)
      if (typeof page === 'string') wrong = page
      else {
        const isEnd = page.times.length === 0 && !page.hasMore
        const isDoubtful = isEnd && (page.isNull || doubtEmpty) && ++emptySeen < 2
        wrong = isDoubtful ? 'the answer is empty' : check?.(page)
        if (!wrong) return page
      }
      throw new RangeError(wrong)
    }
    const begin: Middleware = (call, next) => {
      wrong = undefined
      return next(call)
    }
    const retries = retry({
      sleep,
      passes: (error, call, attempt) =>
        mayPass(error, call) && (attempt < 2 || !isNarrowable || wrong !== undefined || error.status === 429),
    })
    const range = { from: new Date(asked.from).toISOString(), to: new Date(asked.to).toISOString() }
    const { data, error } = await client.GET(queryPath, {
      params: { path: { pullZoneId }, query: { ...filters, ...range, limit, offset, order: 'asc' } },
      parseAs: Object.assign(parse, { room: room ?? new Uint8Array(expectedBytes) }),
      signal,
      use: [retries, begin, idleTimeout(idleMs)],
    })
    signal?.throwIfAborted()
    if (data) return data
    if (wrong) throw new IncompleteLogsError(pullZoneId, from, to, wrong)
    if (error?.status !== 400 || asked.from >= walk.from) throw error
    floor = walk.from
    return ask(from, to, options)
  }
}
