import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toJson } from './json.ts'

test('reads back as the same value, and holds no character that steers a terminal', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = toJson(value, indent)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u)
    }),
  )
})

test('64-bit integers are written exactly', () => {
  expect(toJson({ id: 9007199254740993n, list: [-(2n ** 63n)] })).toBe(
    '{"id":9007199254740993,"list":[-9223372036854775808]}',
  )
})

test('half a surrogate pair becomes U+FFFD, for which no tool refuses the file', () => {
  expect(toJson({ a: 'x\ud83d', b: '\udc00y' })).toBe('{"a":"x\ufffd","b":"\ufffdy"}')
})

test('no value is null', () => {
  expect(toJson(undefined)).toBe('null')
})
