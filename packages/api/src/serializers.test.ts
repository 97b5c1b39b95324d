import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bodySerializer, pathSerializer, querySerializer } from './serializers.ts'

test('64-bit ids are sent exactly', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (id) => {
      expect(pathSerializer('/pullzone/{id}/x', { id })).toBe(`/pullzone/${id}/x`)
    }),
  )
})

test.each([
  ['missing', {}, TypeError, 'Path parameter id is missing'],
  ['null', { id: null }, TypeError, 'Path parameter id is missing'],
  ['inherited', Object.create({ id: 1 }), TypeError, 'Path parameter id is missing'],
  ['empty', { id: '' }, TypeError, 'Path parameter id must not be empty'],
  ['parent', { id: '..' }, TypeError, '"." or ".."'],
  ['self', { id: '.' }, TypeError, '"." or ".."'],
  ['slash', { id: 'a/b' }, TypeError, 'nor contain a slash'],
  ['backslash', { id: 'a\\b' }, TypeError, 'nor contain a slash'],
  ['object', { id: {} }, TypeError, 'must be text or an integer'],
  ['array', { id: ['..'] }, TypeError, 'must be text or an integer'],
  ['boolean', { id: true }, TypeError, 'must be text or an integer'],
  ['unsafe', { id: 2 ** 53 }, RangeError, 'as a bigint'],
  ['fraction', { id: 1.5 }, RangeError, 'not exact'],
  ['NaN', { id: Number.NaN }, RangeError, 'not exact'],
  ['65 bits', { id: 2n ** 63n }, RangeError, '64 bits'],
  ['surrogate', { id: '\ud800' }, TypeError, 'surrogate'],
])('path parameter refused: %s', (_name, values, type, message) => {
  const call = () => pathSerializer('/pullzone/{id}', values)
  expect(call).toThrow(type)
  expect(call).toThrow(message)
})

test.each(['/a/..?x', '/a/..#x', '/a/%2E%2e', '/./a', '/a\\..'])(
  'a template that leads to another path is refused: %s',
  (path) => {
    expect(() => pathSerializer(path, {})).toThrow('Path must not have "." or ".."')
  },
)

test('a path parameter stays one segment', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (id) => {
      fc.pre(id !== '.' && id !== '..' && !/[/\\]/.test(id))
      const url = new URL(pathSerializer('/a/{id}/b', { id }), 'https://management.invalid')
      expect(url.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'a', id, 'b'])
    }),
  )
})

test('query: dates as ISO 8601, bigints exactly, arrays repeated, absent left out', () => {
  const from = new Date('2026-11-20T01:02:03.004Z')
  const query = { from, offset: 2n ** 62n, deep: false, tag: ['a b', 'c&d'], ratio: 0.5, none: undefined, nil: null }
  expect([...new URLSearchParams(querySerializer(query))]).toEqual([
    ['from', '2026-11-20T01:02:03.004Z'],
    ['offset', '4611686018427387904'],
    ['deep', 'false'],
    ['tag', 'a b'],
    ['tag', 'c&d'],
    ['ratio', '0.5'],
  ])
})

test.each([
  [{ from: new Date(Number.NaN) }, RangeError, 'Query parameter from is an invalid Date'],
  [{ offset: 2 ** 60 }, RangeError, 'Query parameter offset'],
  [{ tag: ['a', 2 ** 60] }, RangeError, 'Query parameter tag'],
  [{ search: '\ud800' }, TypeError, 'Query parameter search'],
  [{ filter: { a: 1 } }, TypeError, 'Query parameter filter must be text, a number, a Date or a list of these'],
])('query parameter refused: %o', (query, type, message) => {
  expect(() => querySerializer(query)).toThrow(type)
  expect(() => querySerializer(query)).toThrow(message)
})

test('bodies: forms as openapi-fetch sends them', () => {
  const [form, fields] = [new FormData(), new URLSearchParams({ a: '1' })]
  expect([bodySerializer(form), bodySerializer(fields)]).toEqual([form, fields])
  expect(String(bodySerializer({ a: 'b c' }, 'application/x-www-form-urlencoded'))).toBe('a=b+c')
})

test('bodies: JSON with exact integers, and bytes unchanged', () => {
  expect(bodySerializer({ id: 2n ** 60n, text: 'a' })).toBe('{"id":1152921504606846976,"text":"a"}')
  const bytes = new Uint8Array([1])
  expect(bodySerializer(bytes)).toBe(bytes)
})
