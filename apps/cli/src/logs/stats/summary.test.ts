import type { LogRow } from '@cdn/api'
import { expect, test } from 'vitest'
import { dimensions } from '../options.ts'
import { createCounting } from './summary.ts'

const from = Date.UTC(2026, 5, 17)
const range = { from, to: from + 60_000 }
// Safe: the platform may violate the contract, so a row may have any fields.
const row = (fields: object) => ({ timestamp: new Date(from).toISOString(), ...fields }) as LogRow

test('sums beyond the range of a number are exact', () => {
  const counting = createCounting(1, range, [])
  for (const bytesSent of [2n ** 60n, 1]) counting.add(row({ bytesSent, statusCode: 200 }))
  expect(counting.summary(1).bytes).toBe(2n ** 60n + 1n)
})

test('the hit ratio covers only requests that reached the cache', () => {
  const counting = createCounting(1, range, [])
  for (const cacheStatus of ['HIT', 'HIT', 'HIT', 'STALE', '-', '-', null, 'EXPIRED'])
    counting.add(row({ cacheStatus, statusCode: 200, bytesSent: 0 }))
  expect(counting.summary(1).hitRatio).toBe(3 / 5)
})

test('rows that violate the contract are counted, too', () => {
  const counting = createCounting(1, range, dimensions)
  const odd = { bytesSent: 'many', statusCode: '200', host: 5, path: ['/'], userAgent: { a: 1 }, cacheStatus: true }
  for (const fields of [odd, {}, { bytesSent: 1.5, path: null }]) counting.add(row(fields))
  const { requests, bytes, by } = counting.summary(10)
  expect([requests, bytes]).toEqual([3, 0])
  for (const { values } of Object.values(by)) expect(values.reduce((sum, value) => sum + value.requests, 0)).toBe(3)
})

test('rows outside the range of the points are counted in the totals', () => {
  const counting = createCounting(1, range, [])
  counting.add(row({ timestamp: new Date(from - 5000).toISOString(), statusCode: 503, bytesSent: 1 }))
  expect(counting.summary(1).requests).toBe(1)
})
