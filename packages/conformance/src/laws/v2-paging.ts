import type { CheckContext } from '../check.ts'
import { expect, Skip } from '../failure.ts'
import { expectSameRows, queryLogs, type Row, range, readRange, type Sample, sample, timeOf } from '../logs.ts'
import { operationOf } from '../resources.ts'
import { type Draft, draft, type Law } from './law.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const

/** Pages and ranges of version 2: whatever is put together again is the whole, each entry once. */
export const v2Paging: Law = (operation) =>
  operation.name === 'query-logs' ? laws.map((law) => draft(operation, { needs, through: 'supplement', ...law })) : []

const laws: readonly Draft[] = [
  {
    slug: 'pagination',
    text: 'Version 2 gives the logs in pages.',
    run: async (context) => {
      const { from, to, rows } = await sample(context)
      for (const parts of [2, 3, 7]) {
        const limit = tieFreeLimit(rows, Math.ceil(rows.length / parts))
        const seen = await readRange(context, from, to, { limit: `${limit}` })
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
      // The order of entries on one millisecond is not shown, so entries may change places there; times may not.
      const { from, to, rows } = await sample(context)
      const limit = tieCuttingLimit(rows)
      const seen = (await readRange(context, from, to, { limit: `${limit}` })).map(timeOf)
      const expected = rows.map(timeOf)
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
      const expected = rows.filter((row) => timeOf(row) >= edge)
      expectSameRows(await readRange(context, edge, to), expected, 'those from the millisecond of an entry on')
    },
  },
  {
    slug: 'to-exclusive',
    text: 'The range does not hold the entries at `to`.',
    run: async (context) => {
      const { from, rows } = await sample(context)
      const edge = boundary(rows)
      const expected = rows.filter((row) => timeOf(row) < edge)
      expectSameRows(await readRange(context, from, edge), expected, 'those before the millisecond of an entry')
    },
  },
  {
    slug: 'partition',
    aspect: 'millisecond',
    text: 'The entries of a range are those of its parts.',
    run: async (context) => {
      const { rows } = await sample(context)
      const edge = boundary(rows)
      const there = await readRange(context, edge, edge + 1)
      const after = await readRange(context, edge + 1, edge + 2)
      const near = rows.filter((row) => timeOf(row) >= edge && timeOf(row) < edge + 2)
      expectSameRows([...there, ...after], near, 'those of two milliseconds, asked for one by one')
    },
  },
  {
    slug: 'partition',
    text: 'The entries of a range are those of its parts.',
    run: async (context) => {
      const { from, to, rows } = await sample(context)
      const cuts = [boundary(rows), timeOf(rowAt(rows, rows.length - 1))]
      expectSameRows(await readParts(context, { from, to }, cuts), rows, 'those of the range, from its parts')
    },
  },
  {
    slug: 'order',
    text: 'A page is ordered by timestamp.',
    run: async (context) => {
      const { from, to } = await sample(context)
      for (const order of ['asc', 'desc'] as const) {
        const times = (await readRange(context, from, to, { order })).map(timeOf)
        const sorted = [...times].sort((a, b) => (order === 'asc' ? a - b : b - a))
        expect(times.join() === sorted.join(), `timestamps in order ${order}`, 'another order')
      }
      const newestFirst = (await queryLogs(context, range(from, to))).rows.map(timeOf)
      expect(
        newestFirst.every((time, i) => i === 0 || time <= (newestFirst[i - 1] ?? time)),
        'newest first where order is absent',
        'another order',
      )
    },
  },
  {
    slug: 'default-range',
    text: 'Where from and to are absent, the range is the last 24 hours.',
    run: async (context) => {
      const now = context.now().getTime()
      const { query } = await queryLogs(context, { limit: '1' })
      const [from, to] = [Date.parse(query.from), Date.parse(query.to)]
      expect(to - from === 24 * 3_600_000, 'a range of 24 hours', `${(to - from) / 3_600_000} hours`)
      // Clocks differ by seconds, not by minutes.
      expect(Math.abs(to - now) < 60_000, 'a range that ends now', query.to)
    },
  },
]

async function readParts(context: CheckContext, { from, to }: Pick<Sample, 'from' | 'to'>, cuts: readonly number[]) {
  const edges = [...new Set([from, ...cuts, to])].sort((a, b) => a - b)
  const parts: Row[] = []
  for (const [index, edge] of edges.slice(1).entries()) {
    parts.push(...(await readRange(context, edges[index] ?? from, edge)))
  }
  return parts
}

/** Whether a page border behind so many rows would part rows of one millisecond. */
function partsTie(rows: readonly Row[], size: number): boolean {
  const [last, next] = [rows[size - 1], rows[size]]
  return last !== undefined && next !== undefined && timeOf(last) === timeOf(next)
}

/** A limit near the wished one with which no page border parts rows of one millisecond. */
function tieFreeLimit(rows: readonly Row[], wished: number): number {
  const borders = (limit: number) => Array.from({ length: Math.floor(rows.length / limit) }, (_, i) => (i + 1) * limit)
  for (let limit = Math.max(1, wished); limit < rows.length; limit++) {
    if (!borders(limit).some((size) => partsTie(rows, size))) return limit
  }
  throw new Skip('no page size with which entries of one millisecond stay together')
}

/** The limit whose first page ends between rows of one millisecond; half of the rows where none lie so. */
function tieCuttingLimit(rows: readonly Row[]): number {
  const size = rows.findIndex((_, index) => index > 2 && partsTie(rows, index))
  return size > 0 ? size : Math.ceil(rows.length / 2)
}

/** A time with several rows on its millisecond where there is one, else that of a row in the middle. Never the first. */
function boundary(rows: readonly Row[]): number {
  const first = timeOf(rowAt(rows, 0))
  const tie = rows.find((row, index) => timeOf(row) > first && partsTie(rows, index + 1))
  const edge = timeOf(tie ?? rowAt(rows, Math.floor(rows.length / 2)))
  if (edge === first) throw new Skip('all entries lie on one millisecond')
  return edge
}

function rowAt(rows: readonly Row[], index: number): Row {
  const row = rows[index]
  if (!row) throw new Skip('no entries to look at')
  return row
}

/** The bounds of `limit`, as the contract states them. */
export function limitBounds(): { minimum: number; maximum: number } {
  const schema = operationOf('query-logs').parameters.find(({ name }) => name === 'limit')?.schema ?? {}
  return { minimum: Number(schema['minimum']), maximum: Number(schema['maximum']) }
}
