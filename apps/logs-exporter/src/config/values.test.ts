import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDuration, parseConfigDuration } from './values.ts'

test.each([
  ['5m', 300_000],
  ['1.5h', 5_400_000],
  ['0s', 0],
  ['250ms', 250],
  ['2d', 172_800_000],
  ['0.001s', 1],
  ['5', undefined],
  ['5 m', undefined],
  ['-5m', undefined],
  ['5M', undefined],
  ['0.0001s', undefined],
  ['m', undefined],
  ['5constructor', undefined],
  ['', undefined],
])('duration %s', (text, ms) => expect(parseConfigDuration(text)).toBe(ms))

test('a formatted duration parses to the same value', () => {
  fc.assert(fc.property(fc.nat({ max: 300_000_000 }), (ms) => parseConfigDuration(formatDuration(ms)) === ms))
})
