import { operations } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { expect, test } from 'vitest'
import { mistakeKey } from '../exchange/failure.ts'
import { violationsOf } from './rules.ts'

const operation = assertDefined(operations.find(({ name }) => name === 'query-logs'))

/** Returns an exchange in which the server ignores the limit of the query: its page always states 100. */
function page(zone: string, limit: string, hour: number) {
  const [from, to] = [hour, hour + 1].map((each) => new Date(Date.UTC(2026, 5, 17, each)).toISOString())
  const named = { pullZoneId: Number(zone), from, to, order: 'desc' }
  const body = { data: [], pagination: { offset: 0, limit: 100, returned: 0, hasMore: false }, query: named }
  return {
    operation,
    method: 'GET',
    path: { pullZoneId: zone },
    query: new URLSearchParams({ from: String(from), to: String(to), limit }),
    headers: new Headers(),
    body: undefined,
    at: new Date(),
    response: { status: 200, headers: new Headers(), text: JSON.stringify(body) },
  }
}

test('the same wrong echo counts as the same mistake, whatever the pull zone, the range and the values', () => {
  const pages = [page('2002', '100', 1), page('2002', '3', 1), page('2003', '50', 7)]
  const echoes = pages.map((exchange) =>
    violationsOf(exchange, { fixtures: { credentials: {} } }).filter(({ decides }) => decides === '<operation>.echo'),
  )
  const [none, one, other] = echoes.map((all) => all.map(({ seen }) => mistakeKey(seen)))
  expect(none).toEqual([])
  expect(one).toHaveLength(1)
  expect(other).toEqual(one)
})
