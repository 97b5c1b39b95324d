import { operations } from '@cdn/api/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseVariants, type Variants } from '../variants.ts'
import { createLimiter } from './rate-limit.ts'

const limit = operations.find(({ name }) => name === 'query-logs')?.rateLimit ?? { requests: 0, windowMs: 0, per: '' }
const { requests, windowMs } = limit

/** Pauses between requests: bursts, and waits around the window's length. */
const schedule = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.nat(300) },
    { weight: 1, arbitrary: fc.integer({ min: windowMs - 2, max: windowMs + 2 }) },
  ),
  { minLength: 1, maxLength: 200 },
)

function timesOf(pauses: readonly number[]): number[] {
  let now = 1_000_000
  return pauses.map((pause) => (now += pause))
}

function accepted(times: readonly number[], chosen: Partial<Variants> = {}, key = 'zone'): number[] {
  const limiter = createLimiter(chooseVariants(chosen))
  return times.filter((time) => limiter.take(key, limit, time) === 0)
}

/** The most that any window, open at one end, holds. */
function densest(times: readonly number[], length: number): number {
  return Math.max(0, ...times.map((start) => times.filter((time) => time >= start && time < start + length).length))
}

describe('rate limit (§8)', () => {
  it('lets no window hold more, and refuses nobody who leaves room', () => {
    fc.assert(
      fc.property(schedule, (pauses) => {
        const times = timesOf(pauses)
        const through = accepted(times)
        expect(densest(through, windowMs)).toBeLessThanOrEqual(requests)
        for (const time of times) {
          const before = through.filter((other) => other > time - windowMs && other <= time).length
          if (!through.includes(time)) expect(before).toBe(requests)
        }
      }),
      { numRuns: 200 },
    )
  })

  it.each(['sliding', 'fixed', 'bucket'] as const)(
    '%s: accepts n after a window of quiet, and at most 2n in any window',
    (rateWindow) => {
      fc.assert(
        fc.property(schedule, (pauses) => {
          const times = timesOf(pauses)
          const quietEnd = (times.at(-1) ?? 0) + windowMs
          const burst = Array(requests + 5).fill(quietEnd) as number[]
          const through = accepted([...times, ...burst], { rateWindow })
          expect(through.filter((time) => time === quietEnd)).toHaveLength(requests)
          expect(densest(through, windowMs)).toBeLessThanOrEqual(2 * requests)
        }),
        { numRuns: 100 },
      )
    },
  )

  it('counts each zone by itself', () => {
    const limiter = createLimiter(chooseVariants())
    for (let count = 0; count < 2 * requests; count++) limiter.take('one', limit, 0)
    expect(limiter.take('one', limit, 0)).toBe(windowMs)
    expect(limiter.take('other', limit, 0)).toBe(0)
  })

  it('counts refused requests where that variant is on', () => {
    const times = Array.from({ length: 200 }, (_, index) => index * (windowMs / 100))
    expect(accepted(times, { refusedRequests: 'counted' })).toHaveLength(requests)
    expect(accepted(times).length).toBeGreaterThan(requests)
  })
})
