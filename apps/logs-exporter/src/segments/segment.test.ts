import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSegmentName, segmentName } from './segment.ts'

const from = Date.parse('2026-06-17T14:30:00Z')
const name = 'zone=123/date=2026-06-17/hour=14/20260617T143000Z-20260617T143500Z.r0.ndjson.zst'

test('the path of a segment has its zone, window, revision and format', () => {
  expect(segmentName({ zone: '123', from, to: from + 300_000, revision: 0 }, '.ndjson.zst')).toBe(name)
})

test('the path of a segment can be parsed below any folder', () => {
  const named = fc.record({
    zone: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String),
    from: fc.integer({ min: 0, max: 4e9 }).map((seconds) => seconds * 1000),
    length: fc.integer({ min: 1, max: 3600 }),
    revision: fc.nat(999_999_999),
  })
  fc.assert(
    fc.property(named, fc.constantFrom('', 'a/', '/logs/x.y/'), ({ length, ...rest }, folder) => {
      const segment = { ...rest, to: rest.from + length * 1000 }
      const path = folder + segmentName(segment, '.parquet')
      expect(parseSegmentName(path)).toEqual({ ...segment, extension: '.parquet' })
    }),
  )
})

test.each([
  name.replace('hour=14', 'hour=15'),
  name.replace('zone=123/', ''),
  name.replace('r0', 'r-1'),
  name.replace('20260617T143500Z', '20260617T143000Z'),
  name.replace('20260617T143000Z', '20261317T143000Z'),
  `${name}.tmp~`,
  `${name}/x`,
])('%s is not a segment', (path) => {
  expect(parseSegmentName(path)).toBeUndefined()
})
