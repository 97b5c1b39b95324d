import type { Grant } from '@cdn/api/batches'
import { hourMs } from '@cdn/kit/time'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBudget } from './budget.ts'

const mebibyte = 2 ** 20
const signal = new AbortController().signal
const idle = () => new Promise(setImmediate)

test('long rows make shorter pages; an unknown zone starts with a short page', async () => {
  const budget = createBudget(128 * mebibyte)
  const first = await budget.reserve({ pullZoneId: 1, ms: hourMs }, signal)
  expect(first.rows).toBe(2048)
  first.settle({ bytes: 500 * 2000, rows: 2000, ms: 60_000 })
  first.release()
  expect((await budget.reserve({ pullZoneId: 1, ms: hourMs }, signal)).rows).toBe(10_000)
  expect((await budget.reserve({ pullZoneId: 2, ms: hourMs }, signal)).rows).toBe(2048)
  const long = await budget.reserve({ pullZoneId: 1, ms: hourMs }, signal)
  long.settle({ bytes: 40 * mebibyte, rows: 1000, ms: 60_000 })
  long.release()
  expect((await budget.reserve({ pullZoneId: 1, ms: hourMs }, signal)).rows).toBe(200)
})

test('quiet zones reserve little, so that many are read concurrently', async () => {
  const budget = createBudget(128 * mebibyte)
  for (let zone = 0; zone < 1000; zone++) {
    const first = await budget.reserve({ pullZoneId: zone, ms: hourMs }, signal)
    first.settle({ bytes: 7000, rows: 10, ms: hourMs })
    first.release()
  }
  const grants = await Promise.all(
    Array.from({ length: 1000 }, (_, zone) => budget.reserve({ pullZoneId: zone, ms: hourMs }, signal)),
  )
  expect(grants).toHaveLength(1000)
  // Two days later, the zones reserve the expected bytes of two days of rows.
  for (const grant of grants) grant.release()
  await budget.reserve({ pullZoneId: 1, ms: 48 * hourMs }, signal)
  expect(budget.held()).toBeGreaterThan(2 * 7000 * 48)
})

test('read-ahead takes at most half of the budget, and never overtakes waiting requests', async () => {
  const budget = createBudget(128 * mebibyte)
  const ahead: Grant[] = []
  for (let grant = budget.reserveAhead({ pullZoneId: 1, ms: hourMs }); grant; ) {
    ahead.push(grant)
    grant = budget.reserveAhead({ pullZoneId: 1, ms: hourMs })
  }
  expect(ahead).toHaveLength(4)
  const inTurn = await Promise.all([1, 2, 3, 4].map((pullZoneId) => budget.reserve({ pullZoneId, ms: hourMs }, signal)))
  let isAdmitted = false
  const waiting = budget.reserve({ pullZoneId: 5, ms: hourMs }, signal).then(() => {
    isAdmitted = true
  })
  ahead[0]?.settle({ bytes: 1, rows: 1, ms: 1 })
  await idle()
  expect(isAdmitted).toBe(false)
  expect(budget.reserveAhead({ pullZoneId: 1, ms: 1 })).toBeUndefined()
  inTurn[0]?.release()
  await waiting
})

test('an aborted request releases its share and does not block the queue', async () => {
  const budget = createBudget(12 * mebibyte)
  const held = await Promise.all([1, 2, 3].map((pullZoneId) => budget.reserve({ pullZoneId, ms: 1 }, signal)))
  const stop = new AbortController()
  const [first, second] = [stop.signal, signal].map((each) => budget.reserve({ pullZoneId: 5, ms: 1 }, each))
  stop.abort(new Error('enough'))
  await expect(first).rejects.toThrow('enough')
  await expect(budget.reserve({ pullZoneId: 5, ms: 1 }, stop.signal)).rejects.toThrow('enough')
  held[0]?.release()
  ;(await second)?.release()
  for (const grant of held) grant.release()
  expect(budget.held()).toBe(0)
})

test('range reads that hold pages ahead of their place all finish; only unexpectedly large pages exceed the budget', async () => {
  const page = fc.record({ bytes: fc.integer({ min: 0, max: 6 * mebibyte }), ms: fc.integer({ min: 0, max: hourMs }) })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(page, { maxLength: 8 }), { maxLength: 8 }), async (zones) => {
      const budget = createBudget(32 * mebibyte)
      const read = async (pages: readonly { bytes: number; ms: number }[], pullZoneId: number) => {
        const ahead: Grant[] = []
        for (const { bytes, ms } of pages) {
          const grant = ahead.shift() ?? (await budget.reserve({ pullZoneId, ms }, signal))
          await idle()
          grant.settle({ bytes, rows: bytes > 0 ? 1000 : 0, ms })
          const next = budget.reserveAhead({ pullZoneId, ms })
          if (next) ahead.push(next)
          await idle()
          grant.release()
        }
        for (const grant of ahead) grant.release()
      }
      await Promise.all(zones.map(read))
      expect(budget.held()).toBe(0)
    }),
    { numRuns: 50 },
  )
})
