import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createServerClock } from './server-clock.ts'
import { hourMs } from './time.ts'

const toDate = (ms: number) => new Date(ms).toUTCString()

test('a machine with the right time is not corrected', () => {
  const answer = fc.record({
    sentAt: fc.integer({ min: 0, max: 1e6 }),
    tookMs: fc.nat(2000),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  fc.assert(
    fc.property(fc.array(answer), (answers) => {
      const clock = createServerClock(() => 1e6)
      for (const { sentAt, tookMs, share } of answers)
        clock.note(toDate(sentAt + tookMs * share), sentAt, sentAt + tookMs)
      expect(clock.now()).toBe(1e6)
    }),
  )
})

test.each([3_600_000, -3_600_000, 1500])(
  'a machine that is %i ms off is corrected to a second, and closer with each response',
  (off) => {
    let local = 0
    const clock = createServerClock(() => local)
    clock.note(toDate(50 - off), 0, 100)
    for (let n = 0; n < 200; n++) {
      local = n * 1037
      clock.note(toDate(local + 50 - off), local, local + 100)
      expect(Math.abs(clock.now() - (local - off))).toBeLessThanOrEqual(1100)
    }
    expect(Math.abs(clock.now() - (local - off))).toBeLessThan(150)
  },
)

test('the clock follows a change after two responses agree on it; a response without a date has no effect', () => {
  const heard: unknown[] = []
  const clock = createServerClock(() => 0, { onOff: (...off) => heard.push(off) })
  clock.note(toDate(-30_000), 0, 0)
  expect(clock.now()).toBeLessThanOrEqual(-29_000)
  clock.note(toDate(hourMs), 0, 0)
  expect(clock.now()).toBeLessThanOrEqual(-29_000)
  clock.note(toDate(hourMs), 0, 0)
  expect(clock.now()).toBe(hourMs)
  for (const date of [null, '', 'soon']) clock.note(date, 0, 0)
  expect([clock.now(), clock.shown()]).toEqual([hourMs, hourMs])
  expect(heard).toEqual([[-hourMs, true]])
})

test('a single wrong response has no effect, at the start or later', () => {
  const clock = createServerClock(() => 0)
  for (const date of [9 * hourMs, 0, 9 * hourMs, 0, 0]) clock.note(toDate(date), 0, 0)
  expect([clock.now(), clock.shown(), clock.offset()]).toEqual([0, 0, 0])
})

test('without confirmation, each watched response counts at once', async () => {
  let local = 0
  const clock = createServerClock(() => local, { confirms: false })
  for (const date of [9 * hourMs, 0, 5 * hourMs]) {
    const fetch = clock.watch(async (ms: number) => {
      local += 500
      return new Response(null, { headers: { Date: toDate(ms) } })
    })
    await fetch(date + local)
    expect(Math.abs(clock.offset() - date)).toBeLessThanOrEqual(1500)
  }
  await clock.watch(async () => new Response())()
  expect(Math.abs(clock.offset() - 5 * hourMs)).toBeLessThanOrEqual(1500)
})

test('the clock is fresh after a response that agrees with the machine, or two that agree with each other, for a while', () => {
  let local = 0
  const clock = createServerClock(() => local)
  clock.note(toDate(hourMs), 0, 0)
  expect([clock.isFresh(), clock.shown()]).toEqual([false, Number.NEGATIVE_INFINITY])
  clock.note(toDate(hourMs), 0, 0)
  expect(clock.isFresh()).toBe(true)
  local = 900_000
  expect(clock.isFresh()).toBe(false)
})
