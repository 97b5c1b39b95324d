import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDuration, parseConfigDuration, parseSize } from './values.ts'

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

test.each([
  ['64MB', 64_000_000],
  ['64MiB', 67_108_864],
  ['1.5kB', 1_500],
  ['7B', 7],
  ['64', undefined],
  ['64mb', undefined],
  ['1TB', undefined],
])('size %s', (text, bytes) => expect(parseSize(text)).toBe(bytes))

test('a formatted duration parses to the same value', () => {
  fc.assert(fc.property(fc.nat({ max: 300_000_000 }), (ms) => parseConfigDuration(formatDuration(ms)) === ms))
})
