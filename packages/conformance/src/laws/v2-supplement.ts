import { type Operation, operations } from '@cdn/api/contract'
import { expectStatus } from '../answer.ts'
import { call } from '../call.ts'
import { expect, Skip } from '../failure.ts'
import { expectSameRows, queryLogs, type Row, range, readRange, sample, timeOf } from '../logs.ts'
import { type Draft, draft, type Law } from './law.ts'

const needs = ['loggedZoneId', 'credentials.accessKey'] as const

/** What the public reference says of version 2 beyond the document. */
export const v2Supplement: Law = (operation) =>
  operation.name === 'query-logs' ? laws.map((law) => draft(operation, { needs, ...law })) : []

const laws: readonly Draft[] = [
  {
    slug: 'from-inclusive',
    text: 'The range holds the entries at `from`.',
    run: async (context) => {
      const { to, rows } = await sample(context)
      const from = timeOf(middle(rows))
      const expected = rows.filter((row) => timeOf(row) >= from)
      expectSameRows(await readRange(context, from, to), expected, 'those from the millisecond of an entry on')
    },
  },
  {
    slug: 'to-exclusive',
    text: 'The range does not hold the entries at `to`.',
    run: async (context) => {
      const { from, rows } = await sample(context)
      const to = timeOf(middle(rows))
      const expected = rows.filter((row) => timeOf(row) < to)
      if (from === to) throw new Skip('all rows lie on one millisecond')
      expectSameRows(await readRange(context, from, to), expected, 'those before the millisecond of an entry')
    },
  },
  {
    slug: 'partition',
    text: 'The entries of a range are those of its parts.',
    run: async (context) => {
      const { from, to, rows } = await sample(context)
      const cut = timeOf(middle(rows))
      const parts = [...(cut > from ? await readRange(context, from, cut) : []), ...(await readRange(context, cut, to))]
      expectSameRows(parts, rows, 'those of the range, from its two parts')
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
    slug: 'limit-bounds',
    text: 'A limit outside its bounds is answered 400.',
    run: async (context) => {
      const { minimum, maximum } = limitBounds()
      for (const limit of [minimum, maximum]) await queryLogs(context, { limit: `${limit}` })
      for (const limit of [minimum - 1, maximum + 1]) {
        expectStatus(await call(context, v2(), { query: { limit: `${limit}` } }), 400)
      }
    },
  },
  {
    slug: 'echo',
    text: 'The body names the effective range, order and page.',
    run: async (context) => {
      const { zone, from, to } = await sample(context)
      const page = await queryLogs(context, { ...range(from, to), order: 'asc', limit: '3', offset: '1' })
      const seen = [page.query.pullZoneId, Date.parse(page.query.from), Date.parse(page.query.to), page.query.order]
      const effective = [zone, from, to, 'asc'].join(', ')
      expect(seen.join(', ') === effective, effective, seen.join(', '))
      const { offset, limit, returned } = page.pagination
      const expected = `offset 1, limit 3, returned ${page.rows.length}`
      expect(
        `offset ${offset}, limit ${limit}, returned ${returned}` === expected,
        expected,
        `offset ${offset}, limit ${limit}, returned ${returned}`,
      )
    },
  },
  {
    slug: 'status-filter',
    text: 'status picks entries by status code or class.',
    run: async (context) => {
      const { from, to, rows } = await sample(context)
      const code = String(middle(rows)['statusCode'])
      const exact = rows.filter((row) => String(row['statusCode']) === code)
      expectSameRows(await readRange(context, from, to, { status: code }), exact, `those with status ${code}`)
      const digit = code[0] ?? ''
      const ofClass = rows.filter((row) => String(row['statusCode']).startsWith(digit))
      expectSameRows(
        await readRange(context, from, to, { status: `${digit}xx` }),
        ofClass,
        `those with status ${digit}xx`,
      )
    },
  },
  {
    slug: 'cache-status-filter',
    text: 'cacheStatus picks entries by cache status.',
    run: async (context) => {
      const { from, to, rows } = await sample(context)
      const values = [...new Set(rows.map((row) => String(row['cacheStatus'])))].slice(0, 2)
      const expected = rows.filter((row) => values.includes(String(row['cacheStatus'])))
      const seen = await readRange(context, from, to, { cacheStatus: values.join(',') })
      expectSameRows(seen, expected, `those whose cache status is ${values.join(' or ')}`)
    },
  },
  {
    slug: 'search',
    text: 'search picks entries in which any token occurs.',
    run: async (context) => {
      const { from, to, rows } = await sample(context)
      const tokens = [...new Set(rows.map((row) => String(row['edgeLocation'] ?? '')))]
        .filter((edge) => /^\w+$/.test(edge))
        .slice(0, 2)
      if (tokens.length === 0) throw new Skip('no edge location to search for')
      const expected = rows.filter((row) => tokens.some((token) => searched(row).some((text) => contains(text, token))))
      expectSameRows(
        await readRange(context, from, to, { search: tokens.join(' ') }),
        expected,
        `those with ${tokens.join(' or ')}`,
      )
    },
  },
]

function searched(row: Row): string[] {
  return ['cacheStatus', 'requestId', 'edgeLocation', 'host', 'path', 'userAgent', 'referer', 'contentRange'].map(
    (name) => String(row[name] ?? ''),
  )
}

function contains(text: string, part: string): boolean {
  return text.toLowerCase().includes(part.toLowerCase())
}

function middle(rows: readonly Row[]): Row {
  const row = rows[Math.floor(rows.length / 2)]
  if (!row) throw new Skip('no rows to look at')
  return row
}

function v2(): Operation {
  const operation = operations.find(({ name }) => name === 'query-logs')
  if (!operation) throw new Error('the contract has no operation query-logs')
  return operation
}

function limitBounds(): { minimum: number; maximum: number } {
  const schema = v2().parameters.find(({ name }) => name === 'limit')?.schema ?? {}
  return { minimum: Number(schema['minimum']), maximum: Number(schema['maximum']) }
}
