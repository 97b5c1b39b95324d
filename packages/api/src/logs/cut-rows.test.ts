import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decode } from '../bytes.ts'
import { parseJson } from '../json.ts'
import { cutRows } from './cut-rows.ts'
import { parseTimestamp } from './instant.ts'
import { rowBytes } from './row-batch.ts'

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
  record.chain((given) => {
    const entries = Object.entries(given)
    return fc.shuffledSubarray(entries, { minLength: entries.length }).map((all) => Object.fromEntries(all))
  })
const row = shuffled(
  fields.map((given) => ('timestamp' in given ? { ...given, timestamp: iso(given.timestamp) } : given)),
)
const answer = shuffled(fc.record({ data: fc.array(row), pagination: value, query: nested, more: value }))

function iso(time: number | undefined): string {
  return new Date(time ?? 0).toISOString()
}

test('finds the rows that a parser finds, and their times, whatever stands in the answer and in which order', () => {
  fc.assert(
    fc.property(answer, fc.constantFrom('', ' ', '\r\n\t'), (body, space) => {
      const page = cut(JSON.stringify(body, null, space))
      const data = body['data'] as { timestamp?: unknown }[]
      expect(rowsOf(page)).toEqual(parseJson(JSON.stringify(data)))
      expect([...page.times]).toEqual(data.map(({ timestamp }) => parseTimestamp(String(timestamp))))
      expect(page.envelope).toEqual(parseJson(JSON.stringify({ ...body, data: [] })))
    }),
    { numRuns: 2000 },
  )
})

test('a body that is cut short is none, wherever it is cut', () => {
  fc.assert(
    fc.property(answer, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (body, share) => {
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

test('what is no row of a page is not counted as one', () => {
  expect(cut('{"data":null}')).toMatchObject({ envelope: { data: null }, times: new Float64Array() })
  expect(cut('{"data":[1,"{}",null]}').times).toHaveLength(0)
  expect(cut('{"more":[{"timestamp":"2027-01-15T08:00:00.001Z"}]}').times).toHaveLength(0)
})

test('a byte order mark and bytes that are no UTF-8 do no harm', () => {
  const bytes = new Uint8Array([0xef, 0xbb, 0xbf, ...encoder.encode('{"data":[{"a":"?"}]}')])
  bytes[bytes.indexOf(63)] = 0xff
  expect(rowsOf(cutRows(bytes, 1))).toEqual([{ a: '\ufffd' }])
})

test('more rows than were asked for are no page', () => {
  expect(() => cut('{"data":[{},{},{}]}', 2)).toThrow(SyntaxError)
})
