import { decode } from '../bytes.ts'
import { IncompleteLogsError } from '../errors/incomplete-logs-error.ts'
import type { Ask, Walk } from './ask.ts'
import { isWanted } from './filters.ts'
import type { Page } from './page.ts'
import type { LogRow } from './row.ts'
import { packRows, parseRow, type RowBatch, rowBytes } from './row-batch.ts'

/** Passes in a row without a new row, after which the rest is given up. A pass misses a given row in at most 37 %. */
const quietPasses = 16
/** Requests for one millisecond, after which it is given up. */
const mostRequests = 2000

/**
 * Reads one millisecond that holds more than a page, by offset. Ties have no fixed order, so one pass may show a row
 * twice and another not at all: passes go on until as many different rows are found as the last page implies. Rows that
 * are alike in every field count as often as one page has shown them.
 *
 * @param at the millisecond
 * @param atLeast how many of its rows were seen before
 * @returns its rows; `country` and `search`, which would hide the total, are applied here
 * @throws IncompleteLogsError naming the millisecond, when the rows stay fewer than the total
 */
export async function readMillisecond(ask: Ask, walk: Walk, at: number, atLeast: number): Promise<RowBatch> {
  const { country: _, search: __, ...filters } = walk.filters
  const found = new Map<string, FoundRow[]>()
  let size = 0
  let requests = 0
  for (let quiet = 0; quiet < quietPasses && requests < mostRequests; quiet++) {
    const before = size
    let total = 0
    for (let offset = 0, hasMore = true; hasMore && requests < mostRequests; requests++) {
      const page = await ask(at, at + 1, {
        filters,
        offset,
        check: ({ times }) => (offset > 0 && times.length === 0 ? 'a page that was announced is empty' : undefined),
      })
      size += merge(found, page)
      total = offset + page.times.length
      offset += page.limit
      hasMore = page.hasMore
      if (hasMore) total = Number.POSITIVE_INFINITY
    }
    const rows = [...found.values()].flat().filter(({ time }) => time === at)
    if (size >= total && rows.length >= atLeast) {
      const wanted = rows.filter(({ row }) => !row || isWanted(row, walk.filters))
      return packRows(
        wanted.map(({ bytes }) => bytes),
        at,
      )
    }
    if (size > before) quiet = -1
  }
  const why = 'more than a page of rows share this millisecond, and some cannot be told apart'
  throw new IncompleteLogsError(walk.pullZoneId, at, at + 1, why)
}

interface FoundRow {
  readonly bytes: Uint8Array
  readonly time: number
  /** Undefined where it is no JSON: whoever takes it will say so. */
  readonly row: LogRow | undefined
}

/** Adds the rows of a page, copied; gives how many are new. */
function merge(found: Map<string, FoundRow[]>, page: Page): number {
  const inPage = new Map<string, number>()
  let added = 0
  for (const [n, time] of page.times.entries()) {
    const [bytes, row] = [rowBytes(page, n), parseRow(page, n)]
    const key = row ? keyOf(row) : decode(bytes)
    const times = (inPage.get(key) ?? 0) + 1
    inPage.set(key, times)
    const known = found.get(key) ?? []
    if (times <= known.length) continue
    known.push({ bytes: bytes.slice(), time, row })
    found.set(key, known)
    added++
  }
  return added
}

/** A row's whole content as text; a field that is null may be left out, and fields may change places. */
function keyOf(row: LogRow): string {
  const fields = Object.entries(row).flatMap(([name, value]) =>
    value === null ? [] : `${name}:${JSON.stringify(typeof value === 'bigint' ? `${value}n` : value)}`,
  )
  return fields.sort().join()
}
