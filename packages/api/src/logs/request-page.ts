import { ApiError } from '../errors/api-error.ts'
import { BodyLimitError, bodyError, TransportError } from '../errors/transport-error.ts'
import { describeResponse } from '../fetch/call.ts'
import { isBroken, isTransient } from '../fetch/with-retry.ts'
import { maxPageSize, retentionMs } from '../gen/limits.ts'
import type { paths } from '../gen/logging.ts'
import type { CacheStatus } from './cache-status.ts'
import { type Collector, createPageParser, InconsistentPage, type LogPage, UntrustedPage } from './page.ts'
import type { PageSlots } from './page-slots.ts'
import { type LogSource, sendForReader } from './reader.ts'

/** The path of version 2 (§4.3). */
export const queryPath = '/v2/pullzones/{pullZoneId}/logs'

/** The filters of version 2. The platform applies `country` and `search` after it fetches a page, which costs more requests. */
export type LogFilters = Readonly<
  Omit<Query, 'from' | 'to' | 'limit' | 'offset' | 'order' | 'cacheStatus'> & {
    /** Cache statuses, comma-separated. */
    cacheStatus?: CacheStatus | undefined
  }
>
type Query = NonNullable<paths[typeof queryPath]['get']['parameters']['query']>

/** The range to read: a pull zone, and times in ms. `from` is inclusive, `to` exclusive. */
export interface LogRange<Rows> extends LogSource {
  readonly pullZoneId: number | bigint
  readonly from: number
  readonly to: number
  readonly filters: LogFilters
  readonly pageSize: number
  /** Maximum length of a page in bytes. Fewer rows are requested if they would be longer than half of it. */
  readonly maxPageBytes: number
  readonly collect: () => Collector<Rows>
  readonly slots: PageSlots
  /** Number of rows to request of a zone whose rows have an unknown length. */
  readonly firstRows: number
  /** The mean length of a row in the last page of each zone, in bytes. */
  readonly rowBytes: Map<string, number>
}

interface PageOptions {
  /** Whether the consumer waits for this page. */
  readonly isNext: () => boolean
  /** Number of rows to request, instead of all other limits. */
  readonly limit?: number
  /** Number of rows to leave out. */
  readonly offset?: number
  /** Whether the caller can request less instead. If so, a failure is retried only once, as a time-out always is. */
  readonly isNarrowable: boolean
  /** Whether more rows were announced. If so, a second response must confirm an empty one. */
  readonly doubtEmpty: boolean
  /** Further check of a page whose form is valid. Returns what is wrong, or undefined. */
  readonly check: (page: LogPage<unknown>) => string | undefined
}

interface ReceivedPage<Rows> extends LogPage<Rows> {
  /** Frees the slot of the page. */
  release(): void
}

/** Requests one page of the rows whose shown timestamps, in ms, are from `from` (inclusive) to `to` (exclusive). */
export type RequestPage<Rows> = (from: number, to: number, options: PageOptions) => Promise<ReceivedPage<Rows>>

/** Maximum time to read the body of a page, in ms. A body that arrives byte by byte exceeds no other limit. */
const maxPageMs = 5 * 60_000

/**
 * Creates the requests of one range read, with retries and confirmations. Each request has a margin of 1 ms on both sides, because
 * a store may hold finer timestamps and round them when it shows them.
 *
 * Before the start: at the edge of the retention, the platform refuses the margin (400, supplement). The first request is then
 * repeated without the margin. This can miss only rows whose time is rounded up into the first millisecond, and these rows are
 * about to be deleted.
 *
 * After the end: the margin is omitted if it would make the range longer than the retention, because the platform refuses such a
 * range, too. It is also omitted for a single millisecond, so that a row of the next one cannot spoil the response. This misses
 * nothing: a time at or after the end is never shown as a time in the range, whether it is rounded or cut.
 *
 * The length of the rows of a page limits the number of rows of the next one. If a page is longer than `maxPageBytes`, it is
 * requested again with fewer rows.
 *
 * @returns a function that rejects with the ApiError, TransportError or UntrustedPage of the last attempt, or with the signal's reason
 */
export function createRequestPage<Rows>(range: LogRange<Rows>): RequestPage<Rows> {
  const { client, clock, signal, slots, firstRows, rowBytes, pullZoneId, pageSize, maxPageBytes: maxBytes } = range
  const zone = String(pullZoneId)
  const ceiling = range.to - range.from + 2 > retentionMs ? range.to : range.to + 1
  let floor = range.from - 1

  return async function requestPage(from, to, options) {
    const { isNext, isNarrowable, doubtEmpty, check } = options
    const isDivisible = to - from > 1
    const known = rowBytes.get(zone)
    const likely = known ? Math.max(1, Math.floor(maxBytes / 2 / known)) : firstRows
    const { limit = isDivisible ? Math.min(pageSize, likely) : maxPageSize } = options
    const { offset = 0 } = options
    const end = isDivisible ? Math.min(to + 1, ceiling) : to
    const request = { pullZoneId, from: Math.max(from - 1, floor), to: end, limit, offset }
    const query = {
      ...range.filters,
      from: new Date(request.from).toISOString(),
      to: new Date(request.to).toISOString(),
      limit,
      offset,
      order: 'asc' as const,
    }
    let emptyPages = 0

    async function read(response: Response): Promise<ReceivedPage<Rows>> {
      const release = await slots.take(isNext, signal)
      try {
        const parser = createPageParser(request, range.collect())
        const body = response.body?.getReader()
        const begun = clock.now()
        let bytes = 0
        for (let chunk = await body?.read(); chunk?.value; chunk = await body?.read()) {
          bytes += chunk.value.length
          if (bytes > maxBytes || clock.now() - begun > maxPageMs) {
            void body?.cancel().catch(() => {})
            if (bytes <= maxBytes)
              throw bodyError(describeResponse(response), `does not end within ${maxPageMs / 1000} s`)
            throw new BodyLimitError(describeResponse(response), maxBytes)
          }
          parser.add(chunk.value)
        }
        const page = parser.end()
        const count = page.times.length + page.unreadable.length
        const isEnd = count === 0 && !page.hasMore
        const isDoubtful = isEnd && (page.isNull || doubtEmpty) && ++emptyPages < 2
        const wrong = isDoubtful ? 'the response is empty' : check(page)
        if (wrong) throw new InconsistentPage(wrong)
        rowBytes.set(zone, bytes / Math.max(count, 1))
        return { ...page, release }
      } catch (error) {
        release()
        throw error
      }
    }

    try {
      return await sendForReader<ReceivedPage<Rows>>(range, {
        send: (init) => client.GET(queryPath, { ...init, params: { path: { pullZoneId }, query } }),
        read,
        mayHelp(outcome, attempt) {
          const { error, response } = outcome
          if (error instanceof InconsistentPage || response?.status === 429) return true
          const mayDiffer =
            error instanceof UntrustedPage || (isTransient(outcome) && !(error instanceof BodyLimitError))
          return mayDiffer && (attempt < 2 || !(isNarrowable || isTimeout(error)))
        },
      })
    } catch (error) {
      if (limit > 1 && error instanceof BodyLimitError) {
        rowBytes.set(zone, (maxBytes * 4) / limit)
        return requestPage(from, to, { ...options, limit: Math.ceil(limit / 4) })
      }
      if (!(error instanceof ApiError) || error.status !== 400 || request.from >= range.from) throw error
      floor = range.from
      return requestPage(from, to, options)
    }
  }
}

const refusals = [401, 403, 404, 429]

/**
 * Whether a request failed because of what it requests: its range may be too long, or have a row that the platform cannot send. A
 * request for less may then succeed. False if the credential, the zone or the rate limit is the reason, and for a redirect.
 */
export function isUnreadable(error: unknown): boolean {
  if (error instanceof UntrustedPage) return !(error instanceof InconsistentPage)
  return isBroken(error) || (error instanceof ApiError && !refusals.includes(error.status))
}

/** Whether the platform did not answer in time. */
export function isTimeout(error: unknown): boolean {
  return error instanceof TransportError && error.kind === 'timeout'
}
