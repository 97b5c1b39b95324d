import { parseJson } from '@cdn/kit/json'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decode } from '../bytes.ts'
import { cutRows, parseTimestamp, rowBytes } from './page.ts'

const encoder = new TextEncoder()
const cut = (text: string, most = 100) => cutRows(encoder.encode(text), most)
const rowsOf = (page: ReturnType<typeof cut>) => Array.from(page.times, (_, n) => parseJson(decode(rowBytes(page, n))))

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', ' ', 'é') }),
  fc.constantFrom('data', '"data":[', 'timestamp', '"timestamp":"2020-01-01T00:00:00Z"', '],"pagination":{}'),
)
const value = fc.oneof(hostile, fc.jsonValue())
const ms = fc.integer({ min: 0, max: 4e12 })
const nested = fc.dictionary(fc.oneof(hostile, fc.constantFrom('timestamp', 'data')), value, { maxKeys: 3 })
const fields = fc.record({ timestamp: ms, path: hostile, other: value, nested }, { requiredKeys: [] })
const shuffled = <T extends object>(record: fc.Arbitrary<T>) =>
  record.chain((row) => {
    const entries = Object.entries(row)
    return fc.shuffledSubarray(entries, { minLength: entries.length }).map((all) => Object.fromEntries(all))
  })
const row = shuffled(fields.map((row) => ('timestamp' in row ? { ...row, timestamp: iso(row.timestamp) } : row)))
const bodies = shuffled(fc.record({ data: fc.array(row), pagination: value, query: nested, more: value }))

function iso(time: number | undefined): string {
  return new Date(time ?? 0).toISOString()
}

test('finds the same rows and times as a parser, for any content and order of the response', () => {
  fc.assert(
    fc.property(bodies, fc.constantFrom('', ' ', '\r\n\t'), (body, space) => {
      const page = cut(JSON.stringify(body, null, space))
      const data: { timestamp?: unknown }[] = body['data']
      expect(rowsOf(page)).toEqual(parseJson(JSON.stringify(data)))
      expect([...page.times]).toEqual(data.map(({ timestamp }) => parseTimestamp(String(timestamp))))
      expect(page.envelope).toEqual(parseJson(JSON.stringify({ ...body, data: [] })))
    }),
    { numRuns: 1000 },
  )
})

/** Rows in the platform's form: first the timestamp, usually in milliseconds, then members of any kind. */
const usualRow = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: ms.map(iso) },
      fc.constantFrom('2026-06-17T14:30:61.000Z', '2026-06-17T14:30:05+00:00', 'x'),
    ),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant({}) },
      fc.record({ path: hostile }),
      nested,
      fc.record({ nested: fc.array(nested) }),
    ),
  )
  .map(([timestamp, others]) => ({ timestamp, status: 200, ...others, ...('timestamp' in others && { timestamp }) }))

test('finds rows of the usual form next to others', () => {
  const near = fc
    .integer({ min: 0, max: 200_000 })
    .map((offset) => ({ timestamp: iso(1_781_706_600_000 + offset), a: '}' }))
  const nestedRows = fc
    .array(fc.oneof(usualRow, near), { maxLength: 3 })
    .map((list) => ({ timestamp: iso(0), list, z: 1 }))
  const rows = fc.array(fc.oneof({ weight: 3, arbitrary: near }, usualRow, nestedRows, row), { maxLength: 12 })
  const page = fc.record({ data: rows, pagination: value, more: rows })
  fc.assert(
    fc.property(shuffled(page), (body) => {
      const page = cut(JSON.stringify(body))
      const data: { timestamp?: unknown }[] = body['data']
      expect(rowsOf(page)).toEqual(parseJson(JSON.stringify(data)))
      expect([...page.times]).toEqual(data.map(({ timestamp }) => parseTimestamp(String(timestamp))))
      expect(page.envelope).toEqual(parseJson(JSON.stringify({ ...body, data: [] })))
    }),
    { numRuns: 1000 },
  )
})

test('a body that is truncated at any point is rejected', () => {
  fc.assert(
    fc.property(bodies, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (body, share) => {
      const bytes = encoder.encode(JSON.stringify(body))
      expect(() => cutRows(bytes.slice(0, Math.floor(bytes.length * share)), 100)).toThrow(SyntaxError)
    }),
  )
})

test.each([
  '',
  ' ',
  '<html>',
  '{',
  '[',
  '{"data":[{}',
  '{"data" [{}]}',
  '{"data":[{}]}}',
  '{"data":{"a":{}}}',
  '{"data":[{}],}',
])('no page: %j', (text) => {
  expect(() => cut(text)).toThrow(SyntaxError)
})

test('objects outside of data are not counted as rows', () => {
  expect(cut('{"data":null}')).toMatchObject({ envelope: { data: null }, times: new Float64Array() })
  expect(cut('{"data":[1,"{}",null]}').times).toHaveLength(0)
  expect(cut('{"more":[{"timestamp":"2027-01-15T08:00:00.001Z"}]}').times).toHaveLength(0)
})

test('a byte order mark and invalid UTF-8 are tolerated', () => {
  const bytes = new Uint8Array([0xef, 0xbb, 0xbf, ...encoder.encode('{"data":[{"a":"?"}]}')])
  bytes[bytes.indexOf(63)] = 0xff
  expect(rowsOf(cutRows(bytes, 1))).toEqual([{ a: '\ufffd' }])
})

test('more rows than requested are rejected', () => {
  expect(() => cut('{"data":[{},{},{}]}', 2)).toThrow(SyntaxError)
})
