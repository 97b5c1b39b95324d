import { defined } from '@cdn/kit/defined'
import type { CheckContext } from '../../core/check.ts'
import { expect, Skip } from '../../core/failure.ts'
import {
  expectSameRows,
  queryLogs,
  type Row,
  range,
  readWholeRange,
  rowTime,
  type Sample,
  sample,
} from '../../core/logs.ts'
import { operationOf } from '../resources.ts'
import { onClosedRanges } from './closed-ranges.ts'
import type { ContractChecks, Draft } from './contract-checks.ts'

/** Checks of pages and ranges of version 2. The pages or parts of a range together contain each entry exactly once. */
export const v2Paging: ContractChecks = (operation) =>
  operation.name === 'query-logs' ? onClosedRanges(operation, drafts) : []

const drafts: readonly Draft[] = [
  {
    slug: 'pagination',
    text: 'Version 2 gives the logs in pages.',
    run: async (context) => {
      const { from, to, rows } = await sample(context)
      for (const parts of [2, 3, 7]) {
        const limit = tieFreeLimit(rows, Math.ceil(rows.length / parts))
        const seen = await readWholeRange(context, from, to, { limit: `${limit}` })
        expectSameRows(seen, rows, `those of the range in pages of ${limit}`)
      }
    },
  },
  {
    slug: 'pagination',
    aspect: 'limit',
    text: 'Version 2 gives the logs in pages.',
    run: async (context) => {
      const { from, to } = await sample(context)
      for (const limit of [1, 7]) {
        const { rows } = await queryLogs(context, { ...range(from, to), limit: `${limit}` })
        expect(rows.length <= limit, `a page of at most ${limit}`, `${rows.length} entries`)
      }
    },
  },
  {
    slug: 'pagination',
    aspect: 'ties',
    text: 'Version 2 gives the logs in pages.',
    run: async (context) => {
      // The order of entries of the same millisecond is unspecified, so compare times instead of entries.
      const { from, to, rows } = await sample(context)
      const limit = tieCuttingLimit(rows)
      const seen = (await readWholeRange(context, from, to, { limit: `${limit}` })).map(rowTime)
      const expected = rows.map(rowTime)
      expect(seen.join() === expected.join(), `the ${expected.length} times of the range in pages of ${limit}`, () =>
        seen.length === expected.length ? 'other times' : `${seen.length} times`,
      )
    },
  },
  {
    slug: 'has-more',
    text: 'hasMore is true on every page but the last.',
    run: async (context) => {
      const { from, to, rows } = await sample(context)
      for (const limit of [rows.length - 1, rows.length, rows.length + 1]) {
        const { pagination } = await queryLogs(context, { ...range(from, to), order: 'asc', limit: `${limit}` })
        const more = limit < rows.length
        const what = `hasMore ${more} on a page of ${limit} out of ${rows.length}`
        expect(pagination.hasMore === more, what, `hasMore ${pagination.hasMore}`)
      }
    },
  },
  {
    slug: 'from-inclusive',
    text: 'The range holds the entries at `from`.',
    run: async (context) => {
      const { to, rows } = await sample(context)
      const edge = boundary(rows)
      const expected = rows.filter((row) => rowTime(row) >= edge)
      expectSameRows(await readWholeRange(context, edge, to), expected, 'those from the millisecond of an entry on')
    },
  },
  {
    slug: 'to-exclusive',
    text: 'The range does not hold the entries at `to`.',
    run: async (context) => {
      const { from, rows } = await sample(context)
      const edge = boundary(rows)
      const expected = rows.filter((row) => rowTime(row) < edge)
      expectSameRows(await readWholeRange(context, from, edge), expected, 'those before the millisecond of an entry')
    },
  },
  {
    slug: 'partition',
    aspect: 'millisecond',
    text: 'The entries of a range are those of its parts.',
    run: async (context) => {
      const { rows } = await sample(context)
      const edge = boundary(rows)
      const there = await readWholeRange(context, edge, edge + 1)
      const after = await readWholeRange(context, edge + 1, edge + 2)
      const near = rows.filter((row) => rowTime(row) >= edge && rowTime(row) < edge + 2)
      expectSameRows([...there, ...after], near, 'those of two milliseconds, requested one by one')
    },
  },
  {
    slug: 'partition',
    text: 'The entries of a range are those of its parts.',
    run: async (context) => {
      const { from, to, rows } = await sample(context)
      const cuts = [boundary(rows), rowTime(rowAt(rows, rows.length - 1))]
      expectSameRows(await readParts(context, { from, to }, cuts), rows, 'those of the range, from its parts')
    },
  },
  {
    slug: 'order',
    text: 'A page is ordered by timestamp.',
    run: async (context) => {
      const { from, to } = await sample(context)
      for (const order of ['asc', 'desc'] as const) {
        const times = (await readWholeRange(context, from, to, { order })).map(rowTime)
        const sorted = [...times].sort((a, b) => (order === 'asc' ? a - b : b - a))
        expect(times.join() === sorted.join(), `timestamps in order ${order}`, 'another order')
      }
      const newestFirst = (await queryLogs(context, range(from, to))).rows.map(rowTime)
      expect(
        newestFirst.every((time, i) => i === 0 || time <= (newestFirst[i - 1] ?? time)),
        'newest first by default',
        'another order',
      )
    },
  },
  {
    slug: 'default-range',
    text: 'The default range is the last 24 hours.',
    run: async (context) => {
      const now = context.now().getTime()
      const { query } = await queryLogs(context, { limit: '1' })
      const [from, to] = [Date.parse(query.from), Date.parse(query.to)]
      expect(to - from === 24 * 3_600_000, 'a range of 24 hours', `${(to - from) / 3_600_000} hours`)
      // The suite corrects its own clock by the target's `Date` header. That clock may differ from the clock of the logs
      // by seconds.
      expect(Math.abs(to - now) < 60_000, 'a range that ends now', query.to)
    },
  },
]

async function readParts(context: CheckContext, { from, to }: Pick<Sample, 'from' | 'to'>, cuts: readonly number[]) {
  const edges = [...new Set([from, ...cuts, to])].sort((a, b) => a - b)
  const parts: Row[] = []
  for (const [index, edge] of edges.slice(1).entries()) {
    parts.push(...(await readWholeRange(context, edges[index] ?? from, edge)))
  }
  return parts
}

/** Whether pages of this size would split rows with the same millisecond. */
function partsTie(rows: readonly Row[], size: number): boolean {
  const [last, next] = [rows[size - 1], rows[size]]
  return last !== undefined && next !== undefined && rowTime(last) === rowTime(next)
}

/** Returns the smallest limit, from `wished` on, whose pages never split rows of the same millisecond. */
function tieFreeLimit(rows: readonly Row[], wished: number): number {
  const borders = (limit: number) => Array.from({ length: Math.floor(rows.length / limit) }, (_, i) => (i + 1) * limit)
  for (let limit = Math.max(1, wished); limit < rows.length; limit++) {
    if (!borders(limit).some((size) => partsTie(rows, size))) return limit
  }
  throw new Skip('every page size splits entries with the same millisecond')
}

/** Maximum number of pages for one range. */
const maxPages = 20

/**
 * Returns the smallest limit whose first page ends between rows of the same millisecond. The limit is large enough for
 * 20 pages to hold the range. If no two rows share a millisecond, returns half the number of rows.
 */
function tieCuttingLimit(rows: readonly Row[]): number {
  const minLimit = Math.max(3, Math.ceil(rows.length / maxPages))
  const size = rows.findIndex((_, index) => index >= minLimit && partsTie(rows, index))
  return size > 0 ? size : Math.ceil(rows.length / 2)
}

/** Returns a time that several rows share, otherwise the time of a row in the middle. Never the first time. */
function boundary(rows: readonly Row[]): number {
  const first = rowTime(rowAt(rows, 0))
  const tie = rows.find((row, index) => rowTime(row) > first && partsTie(rows, index + 1))
  const edge = rowTime(tie ?? rowAt(rows, Math.floor(rows.length / 2)))
  if (edge === first) throw new Skip('all entries have the same millisecond')
  return edge
}

function rowAt(rows: readonly Row[], index: number): Row {
  const row = rows[index]
  if (!row) throw new Skip('no entries in the range')
  return row
}

/** The bounds of `limit`, as the contract states them. */
export function limitBounds(): { minimum: number; maximum: number } {
  const { schema } = defined(operationOf('query-logs').parameters.find(({ name }) => name === 'limit'))
  return { minimum: defined(schema.minimum), maximum: defined(schema.maximum) }
}
