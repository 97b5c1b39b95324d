import fc from 'fast-check'
import { expect, test } from 'vitest'
import { duration, id, instant, int64 } from './value-type.ts'

const now = new Date('2026-06-17T14:30:00.000Z')

test('64-bit integers are exact, and other text is refused', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      const parsed = int64.parse(String(value))
      expect(BigInt(parsed ?? 'none')).toBe(value)
      expect(typeof parsed).toBe(Number.isSafeInteger(Number(value)) ? 'number' : 'bigint')
    }),
  )
  for (const text of ['', ' 1', '1.0', '0x1', '+1', '9223372036854775808', '-9223372036854775809', '1n']) {
    expect(int64.parse(text), text).toBeUndefined()
  }
  expect(id.parse('-1')).toBeUndefined()
})

test.each([
  ['90s', 90_000],
  ['15m', 900_000],
  ['1h30m', 5_400_000],
  ['2d', 172_800_000],
  ['250ms', 250],
  ['', undefined],
  ['2', undefined],
  ['h', undefined],
  ['-2h', undefined],
  ['99999999999999999d', undefined],
])('a duration: %s', (text, ms) => {
  expect(duration.parse(text)).toBe(ms)
})

test('a duration is limited to what a timer can represent, and its help says so', () => {
  expect(duration.parse('24d')).toBeLessThan(2 ** 31)
  expect(duration.parse('25d')).toBeUndefined()
  expect(duration.must).toBe('a duration such as 90s, 15m, 2h or 1d, at most 24d')
})

test.each([
  ['now', '2026-06-17T14:30:00.000Z'],
  ['2h', '2026-06-17T12:30:00.000Z'],
  ['2026-06-17', '2026-06-17T00:00:00.000Z'],
  ['2026-06-17T10:00', '2026-06-17T10:00:00.000Z'],
  ['2026-06-17 10:00:01.5', '2026-06-17T10:00:01.500Z'],
  ['2026-06-17T10:00:00+02:00', '2026-06-17T08:00:00.000Z'],
  ['2026-13-01', undefined],
  ['yesterday', undefined],
  ['1', undefined],
  ['999999999d', undefined],
])('a point in time: %s', (text, iso) => {
  expect(instant.parse(text)?.(now).toISOString()).toBe(iso)
})
