import { readBytes } from '../bytes.ts'
import { ApiError } from '../errors/api-error.ts'
import { IncompleteLogsError } from '../errors/incomplete-logs-error.ts'
import { bodyError, TransportError } from '../errors/transport-error.ts'
import { exhausted } from '../fetch/request-facts.ts'
import { isBroken, mayPass, repeat } from '../fetch/with-retry.ts'
import type { TimeLimit } from '../fetch/with-timeout.ts'
import { maxPageSize, retentionMs } from '../gen/limits.ts'
import { cutRows } from './cut-rows.ts'
import { checkPage, type LogPage } from './page.ts'
import { type LogFilters, queryPath } from './row.ts'
import { type LogSource, startIdleLimit } from './source.ts'

/** The range to read: a pull zone, and times in ms. `from` is inclusive, `to` exclusive. */
export interface LogRange {
  readonly pullZoneId: number | bigint
  readonly from: number
  readonly to: number
  readonly filters: LogFilters
  readonly pageSize: number
  /** Maximum length of a page in bytes; undefined for the default. */
  readonly maxPageBytes: number | undefined
}

interface PageOptions {
  /** Maximum number of rows of the page. If the range's page size is smaller, it applies instead. Not for a single millisecond. */
  readonly rows?: number
  /** Number of rows to request, instead of all other limits. */
  readonly limit?: number
  /** Buffer for the page, if it fits. */
  readonly room?: Uint8Array<ArrayBuffer> | undefined
  /** Whether the caller can request a shorter range instead. If so, a failure of platform or connection is retried only once. */
  readonly isNarrowable?: boolean
  /** Whether more rows were announced. If so, a second response must confirm an empty one. */
  readonly doubtEmpty?: boolean
  /** Further check of a page whose form is valid. Returns what is wrong, or undefined. */
  readonly check?: (page: LogPage) => string | undefined
}

/** Requests one page of the rows whose shown timestamps, in ms, are from `from` (inclusive) to `to` (exclusive). */
export type RequestPage = (from: number, to: number, options?: PageOptions) => Promise<LogPage>

/** Default maximum length of a page in bytes: 10,000 rows of 1.6 kB. A page of longer rows is requested again with fewer rows. */
const defaultPageBytes = 16 * 1024 * 1024

class UntrustedPage extends Error {}

/**
 * Creates the requests of one range read, with retries and confirmations. Each request has a margin of 1 ms on both sides, because
 * a store may hold finer timestamps and round them when it shows them.
 *
 * Before the start: at the edge of the retention, the platform refuses the margin (400, supplement). The first request is then
 * repeated without the margin. This can miss only rows whose time is rounded up into the first millisecond, and these rows are
 * about to be deleted.
 *
 * After the end: the margin is omitted if it would make the range longer than the retention, because the platform refuses such a
 * range too. This misses nothing: a time at or after the end is never shown as a time in the range, whether it is rounded or cut.
 *
 * If a page is longer than `maxPageBytes`, it is requested with fewer rows, and so are the pages after it.
 *
 * @returns a function that rejects with a permanent ApiError or TransportError, with an IncompleteLogsError if the responses stay
 *   inconsistent, or with the signal's reason
 */
export function createRequestPage(source: LogSource, range: LogRange): RequestPage {
  const { client, sleep, signal, onRetry } = source
  const { pullZoneId, pageSize, maxPageBytes: maxBytes = defaultPageBytes } = range
  const ceiling = range.to - range.from + 2 > retentionMs ? range.to : range.to + 1
  let floor = range.from - 1
  let expectedBytes = 65_536
  let maxRows = pageSize

  return async function requestPage(from, to, options = {}) {
    const { rows = pageSize, room, isNarrowable, doubtEmpty, check } = options
    const isDivisible = to - from > 1
    const { limit = isDivisible ? Math.min(rows, pageSize, maxRows) : maxPageSize } = options
    const request = { pullZoneId, from: Math.max(from - 1, floor), to: Math.min(to + 1, ceiling), limit }
    const query = {
      ...range.filters,
      from: new Date(request.from).toISOString(),
      to: new Date(request.to).toISOString(),
      limit,
      offset: 0,
      order: 'asc' as const,
    }
    let emptyPages = 0

    async function readPage(timeLimit: TimeLimit) {
      const params = { path: { pullZoneId }, query }
      const { signal } = timeLimit
      const { error, response } = await client.GET(queryPath, { params, parseAs: 'stream', signal })
      if (!response.ok) return { error: new ApiError(response, error), response }
      const buffer = room ?? new Uint8Array(expectedBytes)
      const { body } = timeLimit.limitBody(response)
      const bytes = await readBytes(body, maxBytes, buffer).catch((cause) => {
        throw cause instanceof RangeError ? tooLong(response, cause) : cause
      })
      expectedBytes = Math.max(expectedBytes, Math.ceil(bytes.length * 1.1))
      const page = parsePage(bytes, limit, request)
      const isEnd = page.times.length === 0 && !page.hasMore
      const isDoubtful = isEnd && (page.isNull || doubtEmpty) && ++emptyPages < 2
      const wrong = isDoubtful ? 'the response is empty' : check?.(page)
      if (wrong) throw new UntrustedPage(wrong)
      return { value: page }
    }

    const outcome = await repeat<LogPage>({
      signal,
      sleep,
      onRetry,
      async attempt() {
        const timeLimit = startIdleLimit(source, `GET ${queryPath}`)
        try {
          return await readPage(timeLimit)
        } catch (error) {
          return { error }
        } finally {
          timeLimit.end()
        }
      },
      mayHelp: ({ error, response }, attempt) => {
        if (error instanceof UntrustedPage || response?.status === 429) return true
        return (isBroken(error) || mayPass(response?.status ?? 0)) && (attempt < 2 || !isNarrowable)
      },
    })
    signal?.throwIfAborted()
    if ('value' in outcome) return outcome.value
    const { error, response } = outcome
    if (error instanceof UntrustedPage) throw new IncompleteLogsError(pullZoneId, from, to, error.message)
    if (limit > 1 && isTooLong(error)) {
      const fewer = Math.ceil(limit / 16)
      if (isDivisible) maxRows = fewer
      return requestPage(from, to, { ...options, limit: fewer })
    }
    if (response?.status !== 400 || request.from >= range.from) throw error
    floor = range.from
    return requestPage(from, to, options)
  }
}

/** The error of a page that exceeded its maximum length. The same request would get the same page, so no retry helps. */
function tooLong(response: Response, cause: RangeError): TransportError {
  const error = bodyError(response, cause.message, cause)
  exhausted.add(error)
  return error
}

/** Whether a page exceeded its maximum length. The cause is a redacted copy, so only its name is left. */
function isTooLong(error: unknown): boolean {
  return error instanceof TransportError && error.cause instanceof Error && error.cause.name === 'RangeError'
}

function parsePage(bytes: Uint8Array<ArrayBuffer>, limit: number, request: Parameters<typeof checkPage>[1]): LogPage {
  let rows: ReturnType<typeof cutRows>
  try {
    rows = cutRows(bytes, limit)
  } catch {
    throw new UntrustedPage('the response is not JSON')
  }
  const page = checkPage(rows, request)
  if (typeof page === 'string') throw new UntrustedPage(page)
  return page
}
