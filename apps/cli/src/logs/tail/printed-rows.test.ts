import type { LogRow } from '@cdn/api'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPrintedRows } from './printed-rows.ts'

const row = (time: number, path: string, more: object = {}): LogRow => {
  return { timestamp: new Date(time).toISOString(), pullZoneId: 1, statusCode: 200, bytesSent: 1, path, ...more }
}

test('over several reads, a row is new as often as its maximum count in one read', () => {
  const readOf = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.constantFrom('a', 'b', 'c')), { maxLength: 25 })
  fc.assert(
    fc.property(fc.array(readOf, { maxLength: 6 }), (reads) => {
      const seen = createPrintedRows()
      const fresh = new Map<string, number>()
      const most = new Map<string, number>()
      for (const rows of reads) {
        seen.beginRead()
        const inRead = new Map<string, number>()
        for (const [second, path] of rows.sort(([a], [b]) => a - b)) {
          const key = `${second}${path}`
          const count = (inRead.get(key) ?? 0) + 1
          inRead.set(key, count)
          most.set(key, Math.max(most.get(key) ?? 0, count))
          if (seen.add(second * 700, row(second * 700, path))) fresh.set(key, (fresh.get(key) ?? 0) + 1)
        }
      }
      expect(fresh).toEqual(most)
      expect(seen.size()).toBe([...most.values()].reduce((sum, count) => sum + count, 0))
    }),
  )
})

test('rows are equal regardless of nulls, the spelling of the time zone and the order of fields', () => {
  const seen = createPrintedRows()
  seen.beginRead()
  expect(seen.add(1000, row(1000, '/', { referer: null, asn: 5n }))).toBe(true)
  seen.beginRead()
  const { timestamp, ...others } = row(1000, '/')
  expect(seen.add(1000, { asn: 5, ...others, timestamp: timestamp.replace('Z', '+00:00') })).toBe(false)
  seen.beginRead()
  for (const more of [
    { asn: 6 },
    { asn: '5' },
    { asn: 5, extra: { a: 2n ** 60n } },
    { asn: 5, extra: { a: 2n ** 61n } },
  ]) {
    seen.beginRead()
    expect(seen.add(1000, row(1000, '/', more))).toBe(true)
  }
})

test('old rows are forgotten by time', () => {
  const seen = createPrintedRows()
  seen.beginRead()
  for (let second = 0; second < 100; second++) seen.add(second * 1000, row(second * 1000, '/'))
  seen.forget(10_000)
  expect(seen.size()).toBe(90)
})
