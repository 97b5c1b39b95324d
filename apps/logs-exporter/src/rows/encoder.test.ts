import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { batchOf, entryTexts, hostileText, lineTexts } from '../../tests/support/arbitrary-rows.ts'
import type { PrivacyConfig } from '../config/config.ts'
import type { BatchSource } from '../segments/segment.ts'
import { entryColumns } from './columns.ts'
import { createEncoder, type Lines } from './encoder.ts'

const keep: PrivacyConfig = { authorizationHeader: 'keep', queryTokens: 'keep', addresses: 'keep' }
const defaults: PrivacyConfig = { ...keep, authorizationHeader: 'drop' }
const privacies: fc.Arbitrary<PrivacyConfig> = fc.record({
  authorizationHeader: fc.constantFrom('drop', 'keep'),
  queryTokens: fc.constantFrom('keep', 'mask'),
  addresses: fc.constantFrom('keep', 'truncate', 'drop'),
})
const at = Date.UTC(2026, 5, 17, 14, 30)
const timestamp = '2026-06-17T14:30:00.000Z'
const entry = { timestamp, pullZoneId: 1, statusCode: 200, bytesSent: 10 }

function encode(
  source: BatchSource,
  rows: readonly (string | Uint8Array)[],
  privacy = defaults,
  replacesNul = false,
): Lines {
  return createEncoder(source, { privacy, replacesNul })(batchOf(rows, at), 0, rows.length)
}
const textOf = ({ bytes }: Lines) => Buffer.from(bytes).toString()
/** The fields of an entry's line. */
const fieldsOf = (fields: object, privacy = defaults) =>
  JSON.parse(textOf(encode('v2', [JSON.stringify({ ...entry, ...fields })], privacy)))

test.each([
  ['v2' as const, entryTexts],
  ['v1' as const, lineTexts],
])('rows of %s have the same lines with and without the fast path', (source, texts) => {
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 6 }), privacies, fc.boolean(), (rows, privacy, replacesNul) => {
      const batch = batchOf(rows, at)
      const encodeAll = (fast: boolean) => createEncoder(source, { privacy, replacesNul, fast })(batch, 0, rows.length)
      const [ours, plain] = [encodeAll(true), encodeAll(false)]
      expect(textOf(ours)).toBe(textOf(plain))
      expect(Buffer.compare(ours.bytes, plain.bytes)).toBe(0)
      expect({ ...ours, bytes: 0, free: 0 }).toEqual({ ...plain, bytes: 0, free: 0 })
    }),
    { numRuns: 1500 },
  )
})

test('most rows are encoded without the parser', () => {
  const entries = [{ ...entry, userAgent: 'größer', referer: null }, entry].map((row) => JSON.stringify(row))
  const line = `HIT|200|${at}|10|1|192.0.2.0|-|https://a.example/ü|DE|agent|id|DE`
  const batches = [batchOf(entries, at), batchOf([line], at)] as const
  const encoders = [createEncoder('v2', { privacy: defaults }), createEncoder('v1', { privacy: defaults })] as const
  const parse = vi.spyOn(JSON, 'parse')
  try {
    expect([encoders[0](batches[0], 0, 2).rows, encoders[1](batches[1], 0, 1).rows]).toEqual([2, 1])
    expect(parse).not.toHaveBeenCalled()
  } finally {
    parse.mockRestore()
  }
})

/** Entries whose fields have one order, which is not the contract's. Each entry lacks other nullable fields. */
const reordered = fc
  .record({
    order: fc.shuffledSubarray(entryColumns.slice(1), { minLength: entryColumns.length - 1 }),
    lacking: fc.array(fc.subarray(entryColumns.filter(({ nullable }) => nullable).map(({ name }) => name)), {
      minLength: 1,
      maxLength: 12,
    }),
  })
  .map(({ order, lacking }) =>
    lacking.map((names) => {
      const columns = order.filter(({ name }) => !names.includes(name))
      const members = columns.map(({ name, type }) => [name, type === 'string' ? `"${name}" ü` : 7])
      return JSON.stringify({ timestamp, ...Object.fromEntries(members) })
    }),
  )

test('the encoder learns an order of fields, and then needs no parser', () => {
  fc.assert(
    fc.property(reordered, (rows) => {
      const batch = batchOf(rows, at)
      const encode = createEncoder('v2', { privacy: keep })
      const expected = textOf(createEncoder('v2', { privacy: keep, fast: false })(batch, 0, rows.length))
      // Each row is parsed at most once: after that, its part of the order is known.
      for (const _ of rows) expect(textOf(encode(batch, 0, rows.length))).toBe(expected)
      const parse = vi.spyOn(JSON, 'parse')
      try {
        expect(encode(batch, 0, rows.length).rows).toBe(rows.length)
        const parsed = parse.mock.calls.filter(([text]) => String(text).startsWith('{'))
        expect(parsed).toEqual([])
      } finally {
        parse.mockRestore()
      }
    }),
  )
})

test('a line has the fields of the contract in its order, then others by name, then its source', () => {
  const names = entryColumns.map(({ name }) => name)
  const values = entryColumns.map(({ name, type }) => [
    name,
    type === 'timestamp' ? timestamp : type === 'string' ? 'x' : 7,
  ])
  const row = Object.fromEntries([['z', 1], ...values.toReversed(), ['a', { d: 1, c: [null] }]])
  const line = textOf(encode('v2', [JSON.stringify(row)], keep))
  expect(Object.keys(JSON.parse(line))).toEqual([...names, 'a', 'z', 'source'])
  expect(line).toContain('"a":{"c":[null],"d":1},"z":1,"source":"v2"}\n')
})

test.each([
  ['null equals absence', { ...entry, referer: null }],
  ['the order of fields has no effect', Object.fromEntries(Object.entries(entry).toReversed())],
  ['UTC has two spellings', { ...entry, timestamp: '2026-06-17T14:30:00.000+00:00' }],
  ['zeros of a time are optional', { ...entry, timestamp: '2026-06-17T14:30:00Z' }],
])('the same row gives the same line: %s', (_name, row) => {
  expect(textOf(encode('v2', [JSON.stringify(row)]))).toBe(`${JSON.stringify({ ...entry, source: 'v2' })}\n`)
})

test('any text survives, except for lone surrogates, which are counted', () => {
  fc.assert(
    fc.property(hostileText, hostileText, (userAgent, other) => {
      const lines = encode('v2', [JSON.stringify({ ...entry, userAgent, other })])
      const fields = JSON.parse(textOf(lines))
      expect(fields.userAgent).toBe(userAgent.toWellFormed())
      expect(fields.other).toBe(other.toWellFormed())
      expect(lines.replaced).toBe([userAgent, other].filter((text) => !text.isWellFormed()).length)
      expect(textOf(lines).split('\n')).toHaveLength(2)
    }),
  )
})

test('U+0000 is replaced if the sink cannot hold it', () => {
  const row = JSON.stringify({ ...entry, userAgent: 'a\0b' })
  expect(JSON.parse(textOf(encode('v2', [row])))).toMatchObject({ userAgent: 'a\0b' })
  const lines = encode('v2', [row], defaults, true)
  expect(JSON.parse(textOf(lines))).toMatchObject({ userAgent: 'a\ufffdb' })
  expect(lines.replaced).toBe(1)
})

test('64-bit integers are exact', () => {
  const line = textOf(
    encode('v2', [JSON.stringify(entry).replace(':10}', ':9223372036854775807,"x":[12345678901234567890]}')]),
  )
  expect(line).toContain('"bytesSent":9223372036854775807,"x":[12345678901234567890],')
})

test.each([
  ['it is not valid JSON', '{"timestamp"'],
  ['it is not valid JSON', '{"a":"\n"}'],
  ['it is not an object', '[]'],
  ['the field statusCode is missing', '{"pullZoneId":1,"bytesSent":1}'],
  ['the field statusCode is not an int32', JSON.stringify({ ...entry, statusCode: 2 ** 31 })],
  ['the field statusCode is not an int32', JSON.stringify({ ...entry, statusCode: 1.5 })],
  ['the field bytesSent is not an int64', JSON.stringify(entry).replace(':10}', ':9223372036854775808}')],
  ['the field host is not a string', JSON.stringify({ ...entry, host: 7 })],
  ['it has a field named source, which the exporter adds itself', JSON.stringify({ ...entry, source: 'v2' })],
  ['it holds a number beyond the range of a double', JSON.stringify(entry).replace('}', ',"x":1e400}')],
  ['it is nested too deeply', JSON.stringify(entry).replace('}', `,"x":${'['.repeat(1e5)}${']'.repeat(1e5)}}`)],
])('a row that cannot be encoded is rejected with the reason: %s', (reason, row) => {
  const lines = encode('v2', [JSON.stringify(entry), row, JSON.stringify(entry)])
  expect(lines.rejects).toEqual([{ text: row, reason }])
  expect(lines.rows).toBe(2)
  expect(textOf(lines).split('\n')).toHaveLength(3)
})

test('a line of version 1 gets the same fields, with its URL split into parts', () => {
  const line = `-|200|${at}|10|1|192.0.2.0|-|https://a.example/b?c#d|DE|an agent|-|DE|7|bytes 0-1|Bearer secret`
  expect(JSON.parse(textOf(encode('v1', [line])))).toEqual({
    ...entry,
    cacheStatus: '-',
    remoteIp: '192.0.2.0',
    countryCode: 'DE',
    userAgent: 'an agent',
    edgeLocation: 'DE',
    scheme: 'https',
    host: 'a.example',
    path: '/b?c#d',
    url: 'https://a.example/b?c#d',
    bodyBytesSent: 7,
    contentRange: 'bytes 0-1',
    source: 'v1',
  })
})

test("a visitor's credential appears neither in lines nor in rejects", () => {
  const secret = 'dmlzaXRvcjpzZWNyZXQ='
  const good = JSON.stringify({ ...entry, authorizationHeader: `Basic ${secret}` })
  const line = `HIT|200|${at}|10|1|-|-|-|-|-|-|-|7|-|${secret}`
  const lines = [
    encode('v2', [good, good.replace('"statusCode":200', '"statusCode":"x"'), good.slice(0, -1)]),
    encode('v1', [line, line.replace('|200|', '|x|'), `${line}|more`]),
  ]
  expect(lines.map(({ rows, rejects }) => [rows, rejects.length])).toEqual([
    [1, 2],
    [1, 2],
  ])
  expect(lines.map((each) => textOf(each) + JSON.stringify(each.rejects)).join()).not.toContain(secret)
  expect(fieldsOf({ authorizationHeader: secret }, keep)).toMatchObject({ authorizationHeader: secret })
})

test.each([
  ['https://a.example/b?token=abc&x=1', 'https://a.example/b?token=***&x=1'],
  [
    'https://a.example/b?X-Amz-Signature=abc#access_token=d',
    'https://a.example/b?X-Amz-Signature=***#access_token=***',
  ],
  ['https://a.example/bcdn_token=abc&expires=1/b.mp4', 'https://a.example/bcdn_token=***&expires=1/b.mp4'],
  ['https://a.example/b?%74oken=abc&api_key=', 'https://a.example/b?%74oken=***&api_key=***'],
  ['https://a.example/b?page=token', 'https://a.example/b?page=token'],
])('tokens in a URL are masked: %s', (url, masked) => {
  const privacy: PrivacyConfig = { ...defaults, queryTokens: 'mask' }
  expect(fieldsOf({ url, path: url, referer: url }, privacy)).toMatchObject({
    url: masked,
    path: masked,
    referer: masked,
  })
  expect(fieldsOf({ userAgent: url }, privacy)).toMatchObject({ userAgent: url })
})

test.each([
  ['192.0.2.77', '192.0.2.0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:db8::1', '2001:db8::'],
  ['::ffff:192.0.2.1', '::'],
  ['::1', '::'],
  ['unknown', undefined],
])('IP addresses are truncated or dropped: %s', (remoteIp, truncated) => {
  expect(fieldsOf({ remoteIp }, { ...defaults, addresses: 'truncate' }).remoteIp).toBe(truncated)
  expect(fieldsOf({ remoteIp }, { ...defaults, addresses: 'drop' })).not.toHaveProperty('remoteIp')
})
