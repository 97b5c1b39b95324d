import { decode, parseJson, parseTimestamp, rowBytes } from '@cdn/api/batches'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPageCutter } from './cut-page.ts'
import { entryTexts } from './testing.ts'

const cutPage = createPageCutter({ authorizationHeader: 'drop', queryTokens: 'mask', addresses: 'keep' })
const encoder = new TextEncoder()
const cut = (text: string, most = 100) => cutPage(encoder.encode(text), most)
const rowsOf = (page: ReturnType<typeof cut>) => Array.from(page.times, (_, n) => parseJson(decode(rowBytes(page, n))))

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '[', ']', ',', ':', ' ', 'é', '\ud800', '\u2028') }),
  fc.constantFrom('timestamp', 'data', '"timestamp":"2020-01-01T00:00:00Z"', '],"pagination":{}'),
)
const time = fc.oneof(
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
  fc.integer({ min: 0, max: 120_000 }).map((ms) => new Date(1.8e12 + ms).toISOString()),
  fc.integer({ min: 0, max: 120_000 }).map((ms) => new Date(1.8e12 + ms).toISOString().replace('Z', '+00:00')),
  fc.constantFrom('2027-01-15T08:00:60.000Z', '2027-01-15T08:00:00Z', '2027-01-15T08:00:00.000', 'now', '', '\u0031'),
)
/** The members of an entry; none where it is no JSON. */
function fieldsOf(bytes: Uint8Array): object {
  try {
    return JSON.parse(decode(bytes))
  } catch {
    return {}
  }
}
const value = fc.oneof(hostile, fc.jsonValue(), fc.constant(7n)).map((each) => (typeof each === 'bigint' ? 7 : each))
const entry = fc.oneof(
  entryTexts.map((bytes) => ({ ...fieldsOf(bytes) })),
  fc.constant({ timestamp: '2027-01-15T08:00:00.000Z', pullZoneId: 1, statusCode: 200, bytesSent: 10, host: 'a"b' }),
)
const row = fc
  .record(
    { timestamp: time, path: hostile, nested: fc.dictionary(hostile, value, { maxKeys: 3 }) },
    { requiredKeys: [] },
  )
  .chain((fields) => fc.shuffledSubarray(Object.entries(fields), { minLength: Object.keys(fields).length }))
  .map((entries) => Object.fromEntries(entries))
const element = fc.oneof(
  { weight: 9, arbitrary: row },
  { weight: 9, arbitrary: entry },
  { weight: 1, arbitrary: value },
)
const answer = fc
  .record({ data: fc.oneof(fc.array(element), fc.constant(null), value), pagination: value, query: row, more: value })
  .chain((fields) => fc.shuffledSubarray(Object.entries(fields)))
  .map((entries) => Object.fromEntries(entries))

test('cuts out what a parser finds, whatever stands in the answer and in which order', () => {
  fc.assert(
    fc.property(answer, fc.constantFrom('', ' ', '\r\n\t'), (given, space) => {
      const text = JSON.stringify(given, null, space)
      const body = parseJson(text) as Record<string, unknown>
      const page = cut(text)
      const data = Array.isArray(body['data']) ? body['data'] : []
      expect(rowsOf(page)).toEqual(data)
      expect([...page.times]).toEqual(data.map((each) => parseTimestamp(String(each?.timestamp))))
      expect(page.envelope).toEqual(data.length > 0 ? { ...body, data: [] } : body)
    }),
    { numRuns: 2000 },
  )
})

test('names may be written with escapes, and of two the last counts', () => {
  const body = '{"d\\u0061ta":[{"\\u0074imestamp":"2027-01-15T08:00:00.001Z"}],"x":1}'
  expect(cut(body)).toMatchObject({ envelope: { data: [], x: 1 }, times: new Float64Array([1_800_000_000_001]) })
  const twice = '{"data":[{"a":1},{"a":2}],"data":[{"timestamp":"x","timestamp":"2027-01-15T08:00:00.002Z"}]}'
  expect(cut(twice)).toMatchObject({ envelope: { data: [] }, times: new Float64Array([1_800_000_000_002]) })
  expect(rowsOf(cut('{"data":[{"a":1}],"data":null}'))).toEqual([])
})

test('a body that is cut short is none, wherever it is cut', () => {
  fc.assert(
    fc.property(answer, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (body, share) => {
      const bytes = encoder.encode(JSON.stringify(body))
      expect(() => cutPage(bytes.slice(0, Math.floor(bytes.length * share)), 100)).toThrow()
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
  '{"data":[{} {}]}',
  '{"data" [{}]}',
  '{"data":[{}]}}',
  '{"data":[{}],}',
])('no page: %j', (text) => {
  expect(() => cut(text)).toThrow()
})

test('bytes of any kind are cut as JSON.parse takes them, or refused', () => {
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.json().map((text) => encoder.encode(text)),
  )
  fc.assert(
    fc.property(noise, (bytes) => {
      let parsed: unknown
      try {
        parsed = JSON.parse(new TextDecoder().decode(bytes))
      } catch {
        expect(() => cutPage(new Uint8Array(bytes), 100)).toThrow()
        return
      }
      const data = (parsed as { data?: unknown } | null)?.data
      expect(rowsOf(cutPage(new Uint8Array(bytes), 100))).toEqual(Array.isArray(data) ? data : [])
    }),
  )
})

test('a byte order mark and bytes that are no UTF-8 do no harm', () => {
  const bytes = new Uint8Array([0xef, 0xbb, 0xbf, ...encoder.encode('{"data":[{"a":"?"}]}')])
  bytes[bytes.indexOf(63)] = 0xff
  expect(rowsOf(cutPage(bytes, 1))).toEqual([{ a: '\ufffd' }])
})

test('more rows than were asked for are not counted', () => {
  expect(cut('{"data":[{},{},{}]}', 2).times).toHaveLength(2)
})
