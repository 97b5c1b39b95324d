import { TransportError } from '@cdn/api'
import { expect, test } from 'vitest'
import { usualPlan } from '../../tests/support/simulation.ts'
import { testEncode } from '../../tests/support/test-settings.ts'
import type { ZoneContext } from './options.ts'
import { readAround } from './read-around.ts'

test('milliseconds that always fail are gaps; after the twelfth of a window, its rest is one', async () => {
  const { window } = usualPlan
  let requests = 0
  /** Fails in every second millisecond of the first 100. */
  async function* readRange({ from, to }: { from: number; to: number }, page: () => { end(): unknown }) {
    requests++
    const bad = from % 2 === 0 ? from : from + 1
    const end = bad < 100 ? Math.min(bad, to) : to
    if (end > from) yield { rows: page().end(), times: [], unreadable: [], replaced: 0, end }
    if (end < to) throw new TransportError({ operation: 'query-logs' }, 'network', 'got no response')
  }
  const encode = testEncode()
  const reader = { readRange, ask: async () => {}, now: () => 2 * window }
  const context = { reader, encode, plan: usualPlan, signal: new AbortController().signal }
  const gaps: (readonly [number, number])[] = []
  let position = 0
  for await (const batch of readAround(context as unknown as ZoneContext, { zone: '1', from: 0, to: 2 * window })) {
    if (batch.unread !== undefined) gaps.push([position, batch.end])
    position = batch.end
  }
  expect(gaps).toEqual([...Array.from({ length: 13 }, (_, n) => [2 * n, 2 * n + 1]), [25, window]])
  expect(position).toBe(2 * window)
  expect(requests).toBeLessThan(40)
})
