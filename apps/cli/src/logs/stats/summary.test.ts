import type { LogRow } from '@cdn/api'
import { dayMs } from '@cdn/kit/time'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { dimensions } from '../options.ts'
import { createCounting, createFrequentCounter, cutIntoSteps } from './summary.ts'

const from = Date.UTC(2026, 5, 17)
const range = { from, to: from + 60_000 }
// Safe: the platform may violate the contract, so a row may have any fields.
const row = (fields: object) => ({ timestamp: new Date(from).toISOString(), ...fields }) as LogRow

test('sums beyond the range of a number are exact', () => {
  const counting = createCounting(1, range, [])
  for (const bytesSent of [2n ** 60n, 1]) counting.add(row({ bytesSent, statusCode: 200 }))
  expect(counting.summary(1).bytes).toBe(2n ** 60n + 1n)
})

test('the hit ratio covers only requests with a cache status', () => {
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

test('each count is too low by at most the error, which is bounded; every value more frequent than that is listed', () => {
  const values = fc.array(fc.nat(60), { minLength: 1, maxLength: 400 })
  fc.assert(
    fc.property(values, fc.integer({ min: 2, max: 30 }), (input, capacity) => {
      const counter = createFrequentCounter(capacity)
      const truth = new Map<string, number>()
      for (const value of input.map(String)) {
        counter.add(value)
        truth.set(value, (truth.get(value) ?? 0) + 1)
      }
      const error = counter.error()
      const known = new Map(counter.top(Number.POSITIVE_INFINITY).map(({ value, count }) => [value, count]))
      expect(known.size).toBeLessThanOrEqual(capacity)
      expect(error).toBeLessThanOrEqual((2 * input.length) / capacity)
      for (const [value, count] of truth) {
        const counted = known.get(value) ?? 0
        expect(counted).toBeLessThanOrEqual(count)
        expect(counted).toBeGreaterThanOrEqual(count - error)
      }
    }),
  )
})

test('long texts are identified by their beginning and length', () => {
  const counter = createFrequentCounter(10)
  counter.add('x'.repeat(9000))
  counter.add('x'.repeat(9000))
  counter.add('x'.repeat(9001))
  const [first, second] = counter.top(2)
  expect(first?.count).toBe(2)
  expect(first?.value?.length).toBeLessThan(300)
  expect(second?.value).toContain('9001 characters')
})

test('steps cover the range, begin at round times, and are at most 64', () => {
  const start = Date.UTC(2026, 5, 17)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: dayMs }), fc.integer({ min: 1, max: 3 * dayMs }), (offset, length) => {
      const range = { from: start + offset, to: start + offset + length }
      const { stepMs, first, count } = cutIntoSteps(range)
      expect(first % stepMs).toBe(0)
      expect(first).toBeLessThanOrEqual(range.from)
      expect(first + stepMs).toBeGreaterThan(range.from)
      expect(first + count * stepMs).toBeGreaterThanOrEqual(range.to)
      expect(first + (count - 1) * stepMs).toBeLessThan(range.to)
      expect(count).toBeLessThanOrEqual(64)
    }),
  )
})

test.each([
  ['the longest range has at most 64 steps', { from: -8e15, to: 8e15 }],
  ['a range of more than 64 days has at most 64 steps', { from: 0, to: 64 * dayMs + 1 }],
])('%s', (_text, range) => {
  const { stepMs, first, count } = cutIntoSteps(range)
  expect(count).toBeLessThanOrEqual(64)
  expect(first + count * stepMs).toBeGreaterThanOrEqual(range.to)
})

test('an empty range has one step', () => {
  expect(cutIntoSteps({ from: 5000, to: 5000 })).toEqual({ stepMs: 1000, first: 5000, count: 1 })
})
