import { expect, test } from 'vitest'
import { createTotals } from './totals.ts'

const range = { from: 0, to: 1 }
const gaps = [{ ...range, reason: 'a reason' }]

test('ranges that cannot be read are named for each zone, until a later read has them', () => {
  const { observe, unread } = createTotals('state')
  for (const zone of ['1', '2']) observe({ type: 'unread', window: { zone, ...range }, gaps })
  const sentenceOf = (zone: string) =>
    `zone ${zone}: cannot be read yet: 1970-01-01T00:00:00.000Z to 1970-01-01T00:00:00.001Z: a reason`
  expect(unread()).toEqual([sentenceOf('1'), sentenceOf('2')])
  observe({ type: 'unread', window: { zone: '1', ...range }, gaps: [] })
  expect(unread()).toEqual([sentenceOf('2')])
})
