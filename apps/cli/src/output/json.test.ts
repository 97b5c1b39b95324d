import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonText } from './json.ts'

test('reads back as the same value, and contains no character that controls a terminal', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = jsonText(value, indent)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u)
    }),
  )
})

test('64-bit integers are written exactly', () => {
  expect(jsonText({ id: 9007199254740993n, list: [-(2n ** 63n)] })).toBe(
    '{"id":9007199254740993,"list":[-9223372036854775808]}',
  )
})

test('a lone surrogate becomes U+FFFD, so that other tools accept the file', () => {
  expect(jsonText({ a: 'x\ud83d', b: '\udc00y', '\udc00': 1 })).toBe('{"a":"x\ufffd","b":"\ufffdy","\ufffd":1}')
  expect(jsonText(['\\ud83d', '\\\ud83d', '😀'])).toBe('["\\\\ud83d","\\\\\ufffd","😀"]')
})

test('undefined becomes null', () => {
  expect(jsonText(undefined)).toBe('null')
})
