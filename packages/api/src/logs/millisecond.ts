import { IncompleteLogsError } from '../errors/incomplete-logs-error.ts'
import { decode } from '../fetch/body.ts'
import { matchesFilters } from './filters.ts'
import type { LogPage } from './page.ts'
import type { LogRange, RequestPage } from './request-page.ts'
import type { LogRow } from './row.ts'
import { packRows, parseRow, type RowBatch, rowBytes } from './row-batch.ts'

/** The reader stops after this many passes without a new row. A pass misses a given row with a probability of at most 37 %. */
const quietPasses = 16
/** Maximum number of requests for one millisecond. */
const maxRequests = 2000

/**
 * Reads one millisecond that has more rows than fit into a page, by offset. Rows of equal time have no fixed order. So a pass over
 * all pages may show a row twice and another row not at all. The reader makes passes until it has as many different rows as the
 * last page implies. Rows that are equal in every field count as often as a single page has shown them.
 *
 * @param at the millisecond
 * @param minRows number of rows of this millisecond that are already known
 * @returns the rows of the millisecond. `country` and `search` are applied here, because in requests they would hide the total
 * @throws IncompleteLogsError with the millisecond, if fewer rows were found than there are
 */
export async function readMillisecond(
  requestPage: RequestPage,
  range: LogRange,
  at: number,
  minRows: number,
): Promise<RowBatch> {
  const { country: _, search: __, ...filters } = range.filters
  const distinct = new Map<string, DistinctRow[]>()
  let size = 0
  let requests = 0
  for (let quiet = 0; quiet < quietPasses && requests < maxRequests; quiet++) {
    const before = size
    let total = 0
    for (let offset = 0, hasMore = true; hasMore && requests < maxRequests; requests++) {
      const page = await requestPage(at, at + 1, {
        filters,
        offset,
        check: ({ times }) => (offset > 0 && times.length === 0 ? 'an announced page is empty' : undefined),
      })
      size += merge(distinct, page)
      total = offset + page.times.length
      offset += page.limit
      hasMore = page.hasMore
      if (hasMore) total = Number.POSITIVE_INFINITY
    }
    const rows = [...distinct.values()].flat().filter(({ time }) => time === at)
    if (size >= total && rows.length >= minRows) {
      const matching = rows.filter(({ row }) => !row || matchesFilters(row, range.filters))
      return packRows(
        matching.map(({ bytes }) => bytes),
        at,
      )
    }
    if (size > before) quiet = -1
  }
  const why = 'more than a page of rows share this millisecond, and some of them are equal'
  throw new IncompleteLogsError(range.pullZoneId, at, at + 1, why)
}

interface DistinctRow {
  readonly bytes: Uint8Array
  readonly time: number
  /** Undefined for invalid JSON, which the caller reports. */
  readonly row: LogRow | undefined
}

/**
 * Adds the rows of a page that are not in `distinct` yet, with copies of their bytes. Equal rows of one page count separately.
 *
 * @returns the number of new rows
 */
function merge(distinct: Map<string, DistinctRow[]>, page: LogPage): number {
  const inPage = new Map<string, number>()
  let added = 0
  for (const [n, time] of page.times.entries()) {
    const [bytes, row] = [rowBytes(page, n), parseRow(page, n)]
    const key = row ? keyOf(row) : decode(bytes)
    const times = (inPage.get(key) ?? 0) + 1
    inPage.set(key, times)
    const known = distinct.get(key) ?? []
    if (times <= known.length) continue
    known.push({ bytes: bytes.slice(), time, row })
    distinct.set(key, known)
    added++
  }
  return added
}

/** Returns a row's whole content as text. Null fields and the order of fields make no difference. */
function keyOf(row: LogRow): string {
  const fields = Object.entries(row).flatMap(([name, value]) =>
    value === null ? [] : `${name}:${JSON.stringify(typeof value === 'bigint' ? `${value}n` : value)}`,
  )
  return fields.sort().join()
}
