import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createServerClock } from './server-clock.ts'

const toDate = (ms: number) => new Date(ms).toUTCString()

test('a machine whose clock is right is not corrected', () => {
  const answer = fc.record({
    asked: fc.integer({ min: 0, max: 1e6 }),
    tookMs: fc.nat(2000),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  fc.assert(
    fc.property(fc.array(answer), (answers) => {
      const clock = createServerClock(() => 1e6)
      for (const { asked, tookMs, share } of answers) clock.note(toDate(asked + tookMs * share), asked, asked + tookMs)
      expect(clock.now()).toBe(1e6)
    }),
  )
})

test.each([3_600_000, -3_600_000, 1500])(
  'a machine that is %i ms off is corrected to a second, and more with each answer',
  (off) => {
    let local = 0
    const clock = createServerClock(() => local)
    for (let n = 0; n < 200; n++) {
      local = n * 1037
      clock.note(toDate(local + 50 - off), local, local + 100)
      expect(Math.abs(clock.now() - (local - off))).toBeLessThanOrEqual(1100)
    }
    expect(Math.abs(clock.now() - (local - off))).toBeLessThan(150)
  },
)

test('a clock that was set is followed; an answer without a date says nothing', () => {
  const clock = createServerClock(() => 0)
  clock.note(toDate(-60_000), 0, 0)
  expect(clock.now()).toBeLessThanOrEqual(-59_000)
  clock.note(toDate(60_000), 0, 0)
  expect(clock.now()).toBe(60_000)
  for (const date of [null, '', 'soon']) clock.note(date, 0, 0)
  expect(clock.now()).toBe(60_000)
})
