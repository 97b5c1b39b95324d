import { dayMs } from '@cdn/kit/time'
import { expect, test } from 'vitest'
import { formatBytes, formatCount, formatShare, formatSpan } from './format.ts'

test.each([
  [formatCount(0), '0'],
  [formatCount(1234567), '1,234,567'],
  [formatCount(12345678901234567890n), '12,345,678,901,234,567,890'],
  [formatBytes(0), '0 B'],
  [formatBytes(999), '999 B'],
  [formatBytes(1500), '1.5 kB'],
  [formatBytes(999_600), '1.0 MB'],
  [formatBytes(25_689_641), '26 MB'],
  [formatBytes(9_007_199_254_740_993n), '9.0 PB'],
  [formatSpan(850), '850 ms'],
  [formatSpan(12_400), '12 s'],
  [formatSpan(180_000), '3 min'],
  [formatSpan(9_000_000), '2.5 h'],
  [formatSpan(3 * dayMs), '3 d'],
  [formatShare(0.9337), '93.4 %'],
])('formats %s', (written, expected) => {
  expect(written).toBe(expected)
})
