import type { Call, Outcome } from '@cdn/api'
import { expect, test } from 'vitest'
import { createServerClock } from './server-clock.ts'

const local = Date.UTC(2026, 5, 17, 14)
const answered = (date: string | undefined) => async () =>
  ({ response: new Response(null, { headers: date === undefined ? {} : { Date: date } }) }) as Outcome

test.each([
  ['no Date', undefined, 0],
  ['no date at all', 'soon', 0],
  ['a difference that is none', new Date(local + 2000).toUTCString(), 0],
  ['a machine that is slow', new Date(local + 600_000).toUTCString(), 600_000],
  ['a machine that is fast', new Date(local - 600_000).toUTCString(), -600_000],
])('%s', async (_text, date, offset) => {
  const clock = createServerClock(() => local)
  await clock.watch({} as Call, answered(date))
  expect(clock.now()).toBe(local + offset)
})

test('the last answer counts, and one without a Date changes nothing', async () => {
  const clock = createServerClock(() => local)
  for (const date of [new Date(local + 600_000).toUTCString(), undefined]) await clock.watch({} as Call, answered(date))
  expect(clock.now()).toBe(local + 600_000)
  await clock.watch({} as Call, answered(new Date(local).toUTCString()))
  expect(clock.now()).toBe(local)
})
