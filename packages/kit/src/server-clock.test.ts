import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import { createServerClock } from './server-clock.ts'
import { hourMs } from './time.ts'

const toDate = (ms: number) => new Date(ms).toUTCString()

/** The machine's clock. */
let local = 0
beforeEach(() => {
  local = 0
})

/** Gives a clock a response with a date, to a request that was sent at a time of the machine. */
async function respond(clock: ReturnType<typeof createServerClock>, date: string | null, sentAt = 0, tookMs = 0) {
  local = sentAt
  await clock.watch(async () => {
    local += tookMs
    return new Response(null, { headers: date === null ? {} : { Date: date } })
  })()
}

test('a machine with the right time is not corrected', async () => {
  const answer = fc.record({
    sentAt: fc.integer({ min: 0, max: 1e6 }),
    tookMs: fc.nat(2000),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(answer), async (answers) => {
      const clock = createServerClock(() => local)
      for (const { sentAt, tookMs, share } of answers)
        await respond(clock, toDate(sentAt + tookMs * share), sentAt, tookMs)
      expect(clock.now()).toBe(local)
    }),
  )
})

test.each([hourMs, -hourMs, 1500])(
  'a machine that is %i ms off is corrected to a second, and closer with each response',
  async (off) => {
    const clock = createServerClock(() => local)
    await respond(clock, toDate(50 - off), 0, 100)
    for (let at = 0; at < 200 * 1037; at += 1037) {
      await respond(clock, toDate(at + 50 - off), at, 100)
      expect(Math.abs(clock.now() - (local - off))).toBeLessThanOrEqual(1100)
    }
    expect(Math.abs(clock.now() - (local - off))).toBeLessThan(150)
  },
)

test('the clock follows a change after two responses agree on it; a response without a date has no effect', async () => {
  const heard: unknown[] = []
  const clock = createServerClock(() => local, { onOff: (...off) => heard.push(off) })
  await respond(clock, toDate(-30_000))
  expect(clock.now()).toBeLessThanOrEqual(-29_000)
  await respond(clock, toDate(hourMs))
  expect(clock.now()).toBeLessThanOrEqual(-29_000)
  await respond(clock, toDate(hourMs))
  expect(clock.now()).toBe(hourMs)
  for (const date of [null, '', 'soon']) await respond(clock, date)
  expect([clock.now(), clock.shown()]).toEqual([hourMs, hourMs])
  expect(heard).toEqual([[-hourMs, true]])
})

test('a single wrong response has no effect, at the start or later', async () => {
  const clock = createServerClock(() => local)
  for (const date of [9 * hourMs, 0, 9 * hourMs, 0, 0]) await respond(clock, toDate(date))
  expect([clock.now(), clock.shown(), clock.offset()]).toEqual([0, 0, 0])
})

test('without confirmation, each watched response counts at once', async () => {
  const clock = createServerClock(() => local, { confirms: false })
  for (const date of [9 * hourMs, 0, 5 * hourMs]) {
    await respond(clock, toDate(date + local), local, 500)
    expect(Math.abs(clock.offset() - date)).toBeLessThanOrEqual(1500)
  }
  await respond(clock, null, local)
  expect(Math.abs(clock.offset() - 5 * hourMs)).toBeLessThanOrEqual(1500)
})

test('the clock is fresh after a response that agrees with the machine, or two that agree with each other, for a while', async () => {
  const clock = createServerClock(() => local)
  await respond(clock, toDate(hourMs))
  expect([clock.isFresh(), clock.shown()]).toEqual([false, Number.NEGATIVE_INFINITY])
  await respond(clock, toDate(hourMs))
  expect(clock.isFresh()).toBe(true)
  local = 900_000
  expect(clock.isFresh()).toBe(false)
})
