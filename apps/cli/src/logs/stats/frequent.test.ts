import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFrequentCounter } from './summary.ts'

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
