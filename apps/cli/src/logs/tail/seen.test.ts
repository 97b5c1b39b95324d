import type { LogRow } from '@cdn/api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSeen } from './seen.ts'

const row = (time: number, path: string, more: object = {}) =>
  ({ timestamp: new Date(time).toISOString(), pullZoneId: 1, statusCode: 200, bytesSent: 1, path, ...more }) as LogRow

test('over any looks, each row is new as often as it was seen at most in one look', () => {
  const look = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.constantFrom('a', 'b', 'c')), { maxLength: 25 })
  fc.assert(
    fc.property(fc.array(look, { maxLength: 6 }), (looks) => {
      const seen = createSeen()
      const fresh = new Map<string, number>()
      const most = new Map<string, number>()
      for (const rows of looks) {
        seen.beginLook()
        const inLook = new Map<string, number>()
        for (const [second, path] of rows.sort(([a], [b]) => a - b)) {
          const key = `${second}${path}`
          inLook.set(key, (inLook.get(key) ?? 0) + 1)
          most.set(key, Math.max(most.get(key) ?? 0, inLook.get(key) ?? 0))
          if (seen.add(second * 700, row(second * 700, path))) fresh.set(key, (fresh.get(key) ?? 0) + 1)
        }
      }
      expect(fresh).toEqual(most)
      expect(seen.size()).toBe([...most.values()].reduce((sum, count) => sum + count, 0))
    }),
  )
})

test('rows are the same whatever way nulls, the zone of time and the order of fields are written', () => {
  const seen = createSeen()
  seen.beginLook()
  expect(seen.add(1000, row(1000, '/', { referer: null, asn: 5n }))).toBe(true)
  seen.beginLook()
  const { timestamp, ...others } = row(1000, '/')
  expect(seen.add(1000, { asn: 5, ...others, timestamp: timestamp.replace('Z', '+00:00') })).toBe(false)
  seen.beginLook()
  for (const more of [
    { asn: 6 },
    { asn: '5' },
    { asn: 5, extra: { a: 2n ** 60n } },
    { asn: 5, extra: { a: 2n ** 61n } },
  ]) {
    seen.beginLook()
    expect(seen.add(1000, row(1000, '/', more))).toBe(true)
  }
})

test('old rows are forgotten, by time or because they are too many, but none that a look is still to see', () => {
  const seen = createSeen()
  seen.beginLook()
  for (let second = 0; second < 100; second++) seen.add(second * 1000, row(second * 1000, '/'))
  seen.forget(10_000)
  expect(seen.size()).toBe(90)
  expect(seen.shrink(90, 50_000)).toBe(Number.NEGATIVE_INFINITY)
  expect(seen.shrink(40, 50_000)).toBe(50_000)
  expect(seen.size()).toBe(50)
  expect(seen.shrink(40, 100_000)).toBe(70_000)
  expect(seen.size()).toBe(30)
})
