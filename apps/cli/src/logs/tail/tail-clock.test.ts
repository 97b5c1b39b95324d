import { expect, test } from 'vitest'
import { createTailClock } from './tail.ts'

const local = Date.UTC(2026, 5, 17, 14)
const respondWith = (date: string | undefined) => async () =>
  new Response(null, { headers: date === undefined ? {} : { Date: date } })

test.each([
  ['no Date', undefined, 0],
  ['an invalid date', 'soon', 0],
  ['a negligible difference', new Date(local).toUTCString(), 0],
  ['a machine that is slow', new Date(local + 600_000).toUTCString(), 600_000],
  ['a machine that is fast', new Date(local - 600_000).toUTCString(), -600_000],
])('%s', async (_text, date, offset) => {
  const clock = createTailClock(() => local)
  await clock.watch(respondWith(date))('https://h.invalid')
  expect(Math.abs(clock.now() - local - offset)).toBeLessThanOrEqual(1000)
})

test('the last response counts, and one without a Date changes nothing', async () => {
  const clock = createTailClock(() => local)
  for (const date of [new Date(local + 600_000).toUTCString(), undefined])
    await clock.watch(respondWith(date))('https://h.invalid')
  expect(clock.now()).toBe(local + 600_000)
  await clock.watch(respondWith(new Date(local).toUTCString()))('https://h.invalid')
  expect(clock.now()).toBe(local)
})
