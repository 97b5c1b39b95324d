import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hour, minute, usualPlan } from '../../tests/support/simulation.ts'
import { closedUntil, closesAt, nextBoundary, nextRecheck, openWindows } from './plan.ts'

const plan = { ...usualPlan, rechecks: [10 * minute, hour, 70 * hour] }
const at = Date.parse('2026-06-17T14:30:00Z')

describe('closing', () => {
  test.each([
    [at + 5 * minute, at],
    [at + 10 * minute - 1, at],
    [at + 10 * minute, at + 5 * minute],
  ])('at %i everything before %i is closed', (now, until) => {
    expect(closedUntil(now, plan)).toBe(until)
  })

  test('a window closes when the allowed lateness after its end has passed', () => {
    expect(closesAt(at, plan)).toBe(at + 10 * minute)
    expect(closedUntil(closesAt(at, plan), plan)).toBe(at + 5 * minute)
  })
})

describe('rechecks', () => {
  test.each([
    [at, at + 10 * minute],
    [at + 10 * minute, at + hour],
    [at + 2 * hour, at + 70 * hour],
    [at + 70 * hour, undefined],
  ])('after a read at %i the next is due at %s', (checkedAt, due) => {
    expect(nextRecheck({ zone: '1', from: at - 5 * minute, to: at }, checkedAt, plan)).toBe(due)
  })
})

describe('open windows', () => {
  test('and the covered windows are the whole range, without overlap', () => {
    const range = fc.tuple(fc.nat(50), fc.nat(50)).map(([from, length]) => ({ from, to: from + length + 1 }))
    fc.assert(
      fc.property(
        range,
        fc.array(range, { maxLength: 6 }),
        fc.integer({ min: 1, max: 12 }),
        ({ from, to }, some, length) => {
          const covered = apart(some).map((window) => ({ zone: '1', ...window }))
          const open = openWindows({ zone: '1', from, to }, covered, length)
          for (let point = from; point < to; point++) {
            const holders = [...open, ...covered].filter((window) => window.from <= point && point < window.to)
            expect(holders).toHaveLength(1)
          }
          for (const window of open) {
            expect(window.to).toBeLessThanOrEqual(nextBoundary(window.from, length))
            expect(window.from >= from && window.to <= to).toBe(true)
          }
        },
      ),
    )
  })

  test('of another length begin at the next boundary', () => {
    const open = openWindows({ zone: '1', from: at + 5 * minute, to: at + 90 * minute }, [], hour)
    expect(open.map(({ from, to }) => [from - at, to - at].map((ms) => ms / minute))).toEqual([
      [5, 30],
      [30, 90],
    ])
  })
})

/** The ranges in order, without those that overlap an earlier one. */
function apart(ranges: readonly { from: number; to: number }[]) {
  const sorted = [...ranges].sort((a, b) => a.from - b.from)
  return sorted.filter(({ from }, index) => sorted.slice(0, index).every((earlier) => earlier.to <= from))
}
