import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson, stringifyJson } from './json.ts'

test.each([
  ['9007199254740991', 9007199254740991],
  ['9007199254740993', 9007199254740993n],
  ['-9223372036854775808', -9223372036854775808n],
  ['[1234567890123456789,"1234567890123456789"]', [1234567890123456789n, '1234567890123456789']],
  ['{"1234567890123456789":1}', { '1234567890123456789': 1 }],
  ['[0.1234567890123456789, 1e5]', [0.12345678901234568, 100000]],
  ['["#1234567890123456789","$","\\u00231234567890123456789"]', ['#1234567890123456789', '$', '#1234567890123456789']],
  [
    '{"a" : 12345678901234567890, "b":"\\"98765432109876543210"}',
    { a: 12345678901234567890n, b: '"98765432109876543210' },
  ],
])('parses %s', (text, value) => {
  expect(parseJson(text)).toStrictEqual(value)
})

test.each([
  '01234567890123456789',
  '[1234567890123456789 2]',
  '"1234567890123456789',
  'tru1234567890123456789',
  '"a\\\n1234567890123456789"',
])('invalid JSON: %s', (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError)
})

test('returns the result of JSON.parse, except for exact long integers', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('#', '$', '\\', '"', '1', 'é') }))
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value')),
      fc.dictionary(text, tie('value')),
    ),
  }))
  fc.assert(
    fc.property(value, fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }), (inner, big) => {
      const json = JSON.stringify(inner)
      expect(parseJson(`{"inner":${json},"big":${big}}`)).toEqual({ inner: JSON.parse(json), big })
    }),
  )
})

test('a bigint is written with all digits, next to any other values', () => {
  const odd = fc.string({ unit: fc.constantFrom('\ud800', '#', '0', '"', '\\', ',', ':', 'a') })
  const value = fc.dictionary(odd, fc.array(odd))
  fc.assert(
    fc.property(value, fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n }), odd, (inner, big, key) => {
      const text = stringifyJson({ inner, list: [big, key, big], [`k${key}`]: big })
      const expected = JSON.stringify({ inner, list: ['BIG', key, 'BIG'], [`k${key}`]: 'BIG' })
      expect(text).toBe(expected.replaceAll('"BIG"', String(big)))
    }),
  )
  expect(stringifyJson(2n ** 63n)).toBe('9223372036854775808')
  expect(stringifyJson(undefined)).toBeUndefined()
})
