import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutIntoSteps } from './summary.ts'

test('steps cover the range, begin at round times, and are at most 64', () => {
  const start = Date.UTC(2026, 5, 17)
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 86_400_000 }),
      fc.integer({ min: 1, max: 3 * 86_400_000 }),
      (offset, length) => {
        const range = { from: start + offset, to: start + offset + length }
        const { stepMs, first, count } = cutIntoSteps(range)
        expect(first % stepMs).toBe(0)
        expect(first).toBeLessThanOrEqual(range.from)
        expect(first + stepMs).toBeGreaterThan(range.from)
        expect(first + count * stepMs).toBeGreaterThanOrEqual(range.to)
        expect(first + (count - 1) * stepMs).toBeLessThan(range.to)
        expect(count).toBeLessThanOrEqual(64)
      },
    ),
  )
})

test.each([
  ['a range of any length has at most 64 steps', { from: -8e15, to: 8e15 }],
  ['64 days and more', { from: 0, to: 64 * 86_400_000 + 1 }],
])('%s', (_text, range) => {
  const { stepMs, first, count } = cutIntoSteps(range)
  expect(count).toBeLessThanOrEqual(64)
  expect(first + count * stepMs).toBeGreaterThanOrEqual(range.to)
})

test('an empty range has one step', () => {
  expect(cutIntoSteps({ from: 5000, to: 5000 })).toEqual({ stepMs: 1000, first: 5000, count: 1 })
})
