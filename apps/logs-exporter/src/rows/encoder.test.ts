import fc from 'fast-check'
import { expect, test } from 'vitest'
import { collectPage, entryTexts, hostileText, timeOf } from '../../tests/support/arbitrary-rows.ts'
import type { PrivacyConfig } from '../config/config.ts'
import { RejectedRow } from '../errors.ts'
import { toCanonical } from './canonical.ts'
import { columnsOf } from './column-values.ts'
import { entryColumns, parseRowFields } from './columns.ts'
import { createEncoder, type Lines } from './encoder.ts'
import { createPrivacy } from './privacy.ts'

const keepAll: PrivacyConfig = {
  authorizationHeader: 'keep',
  queryTokens: 'keep',
  addresses: 'keep',
  tokenNames: [],
  unknownFields: 'keep',
}
const defaultPrivacy: PrivacyConfig = { ...keepAll, authorizationHeader: 'drop' }
const privacies: fc.Arbitrary<PrivacyConfig> = fc.record({
  authorizationHeader: fc.constantFrom('drop', 'keep'),
  queryTokens: fc.constantFrom('keep', 'mask'),
  addresses: fc.constantFrom('keep', 'truncate', 'drop'),
  tokenNames: fc.constant([]),
  unknownFields: fc.constantFrom('keep', 'drop'),
})
const at = Date.UTC(2026, 5, 17, 14, 30)
const timestamp = '2026-06-17T14:30:00.000Z'
const entry = { timestamp, pullZoneId: 1, statusCode: 200, bytesSent: 10 }

function encode(rows: readonly string[], privacy = defaultPrivacy, replacesNul = false): Lines {
  const encode = createEncoder({ privacy, replacesNul, takesValues: true })
  return encode.lines(collectPage(rows, at, encode.page()))
}
const textOf = ({ bytes }: Lines) => Buffer.from(bytes).toString()
const fieldsOf = (fields: object, privacy = defaultPrivacy) =>
  JSON.parse(textOf(encode([JSON.stringify({ ...entry, ...fields })], privacy)))

/** The line of a row by `toCanonical` alone, or the reason why the row is rejected. */
function lineOf(sent: string, privacy: PrivacyConfig, replacesNul: boolean): { line: string } | { reason: string } {
  const row = parseRowFields(Buffer.from(sent).toString()) // a response has no lone surrogate
  const time = timeOf(String(row['timestamp'])) ?? at
  const rules = createPrivacy(privacy)
  rules.editKnown(row)
  rules.editOthers(row)
  try {
    const { text: line } = toCanonical(row, time, replacesNul)
    return { line: `${line},"source":"v2"}` }
  } catch (error) {
    if (error instanceof RejectedRow) return { reason: error.message }
    throw error
  }
}

test('the function for usual rows gives the lines of toCanonical, and each row is a line or a dead letter', () => {
  fc.assert(
    fc.property(fc.array(entryTexts, { maxLength: 6 }), privacies, fc.boolean(), (rows, privacy, replacesNul) => {
      const lines = encode(rows, privacy, replacesNul)
      const expected = rows.map((row) => lineOf(row, privacy, replacesNul))
      expect(textOf(lines).split('\n').slice(0, -1)).toEqual(
        expected.flatMap((each) => ('line' in each ? each.line : [])),
      )
      expect(lines.rejects.map(({ reason }) => reason)).toEqual(
        expected.flatMap((each) => ('reason' in each ? each.reason : [])),
      )
      expect(lines.rows + lines.rejects.length).toBe(rows.length)
      expect(lines.columns).toEqual(columnsOf(textOf(lines).split('\n').slice(0, -1)))
    }),
    {
      numRuns: 1500,
      examples: [[['{"statusCode":0,"pullZoneId":0,"bytesSent":0,"source":0}'], defaultPrivacy, false]],
    },
  )
})

test('a line has the fields of the contract in its order, then others by name, then its source', () => {
  const names = entryColumns.map(({ name }) => name)
  const values = entryColumns.map(({ name, type }) => [
    name,
    type === 'timestamp' ? timestamp : type === 'string' ? 'x' : 7,
  ])
  const row = Object.fromEntries([['z', 1], ...values.toReversed(), ['a', { d: 1, c: [null] }]])
  const line = textOf(encode([JSON.stringify(row)], keepAll))
  expect(Object.keys(JSON.parse(line))).toEqual([...names, 'a', 'z', 'source'])
  expect(line).toContain('"a":{"c":[null],"d":1},"z":1,"source":"v2"}\n')
})

test.each([
  ['null equals absence', { ...entry, referer: null }],
  ['the order of fields has no effect', Object.fromEntries(Object.entries(entry).toReversed())],
  ['UTC has two spellings', { ...entry, timestamp: '2026-06-17T14:30:00.000+00:00' }],
  ['zeros of a time are optional', { ...entry, timestamp: '2026-06-17T14:30:00Z' }],
])('the same row gives the same line: %s', (_name, row) => {
  expect(textOf(encode([JSON.stringify(row)]))).toBe(`${JSON.stringify({ ...entry, source: 'v2' })}\n`)
})

test('any text survives, except for lone surrogates, which are counted', () => {
  fc.assert(
    fc.property(hostileText, hostileText, (userAgent, other) => {
      const lines = encode([JSON.stringify({ ...entry, userAgent, other })], keepAll)
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
  expect(JSON.parse(textOf(encode([row])))).toMatchObject({ userAgent: 'a\0b' })
  const lines = encode([row], defaultPrivacy, true)
  expect(JSON.parse(textOf(lines))).toMatchObject({ userAgent: 'a\ufffdb' })
  expect(lines.replaced).toBe(1)
})

test('64-bit integers are exact', () => {
  const line = textOf(
    encode([JSON.stringify(entry).replace(':10}', ':9223372036854775807,"x":[12345678901234567890]}')]),
  )
  expect(line).toContain('"bytesSent":9223372036854775807,"x":[12345678901234567890],')
})

test.each([
  ['the field statusCode is missing', '{"pullZoneId":1,"bytesSent":1}'],
  ['the field statusCode is not an int32', JSON.stringify({ ...entry, statusCode: 2 ** 31 })],
  ['the field statusCode is not an int32', JSON.stringify({ ...entry, statusCode: 1.5 })],
  ['the field bytesSent is not an int64', JSON.stringify(entry).replace(':10}', ':9223372036854775808}')],
  ['the field host is not a string', JSON.stringify({ ...entry, host: 7 })],
  ['it has a field named source, which the exporter adds itself', JSON.stringify({ ...entry, source: 'v2' })],
  ['it holds a number beyond the range of a double', JSON.stringify(entry).replace('}', ',"x":1e400}')],
  ['it is nested too deeply', JSON.stringify(entry).replace('}', `,"x":${'['.repeat(1e5)}${']'.repeat(1e5)}}`)],
])('a row that cannot be encoded is a dead letter with the reason: %s', (reason, row) => {
  const lines = encode([JSON.stringify(entry), row, JSON.stringify(entry)])
  const text = reason === 'it is nested too deeply' ? '' : row.replace('1e400', 'null')
  expect(lines.rejects).toEqual([{ text, reason }])
  expect(lines.rows).toBe(2)
  expect(textOf(lines).split('\n')).toHaveLength(3)
})

test('an entry that is not a row is a dead letter with its text, after the privacy rules', () => {
  const privacy: PrivacyConfig = { ...defaultPrivacy, queryTokens: 'mask' }
  const unreadable = [
    { value: null, reason: 'it is not an object', after: 0, before: 1 },
    { value: { url: '/a?token=b', authorization: 'c' }, reason: 'its timestamp cannot be read', after: 0, before: 1 },
  ]
  const { rejects, rows } = createEncoder({ privacy }).lines({
    ...collectPage([], at, createEncoder({ privacy }).page()),
    unreadable,
  })
  expect(rows).toBe(0)
  expect(rejects).toEqual([
    { text: 'null', reason: 'it is not an object' },
    { text: '{"url":"/a?token=[redacted]","authorization":"[redacted]"}', reason: 'its timestamp cannot be read' },
  ])
})

test('unknown fields with names of credentials follow authorizationHeader, in any spelling and depth', () => {
  const secrets = {
    AuthorizationHeader: 's3cret',
    authorization: 's3cret',
    'Set-Cookie': 's3cret',
    'x-api-key': ['s3cret'],
    request: { headers: [{ AUTHORIZATION: 's3cret', accept: '*/*' }], session_id: 's3cret' },
  }
  const others = { cacheKey: 'a', tokenize: 'b', keyboard: 'c' }
  const row = JSON.stringify({ ...entry, ...secrets, ...others })
  const line = textOf(encode([row]))
  expect(line).not.toContain('s3cret')
  expect(JSON.parse(line)).toMatchObject({ ...others, request: { headers: [{ accept: '*/*' }] } })
  expect(JSON.parse(textOf(encode([row], keepAll)))).toMatchObject({ ...secrets, ...others })
})

const forms: readonly ((secret: string) => object)[] = [
  (secret) => ({ requestHeaders: [{ name: 'Authorization', value: secret }] }),
  (secret) => ({ requestHeaders: [{ value: secret, name: 'cookie' }] }),
  (secret) => ({ headers: `Authorization: Bearer ${secret}\r\nCookie: s=${secret}` }),
  (secret) => ({ note: `https://user:${secret}@a.example/?token=${secret}` }),
]

test.each(['keep', 'drop'] as const)(
  'unknown fields hold no credential in any form: unknownFields %s',
  (unknownFields) => {
    for (const form of forms) {
      const row = JSON.stringify({ ...entry, ...form('s3cret-of-a-visitor'), other: 1 })
      const line = textOf(
        encode([row, row.replace('"statusCode":200', '"statusCode":"x"')], { ...defaultPrivacy, unknownFields }),
      )
      expect(line).not.toContain('s3cret')
      expect(JSON.parse(line).other).toBe(unknownFields === 'keep' ? 1 : undefined)
    }
  },
)

test.each(['truncate', 'drop'] as const)('addresses are hidden in unknown fields, too: %s', (addresses) => {
  const other = {
    clientAddr: '192.0.2.77',
    xForwardedFor: '192.0.2.77, 2001:db8:1:2:3:4:5:6',
    list: [{ at: '[2001:db8:1:2:3:4:5:6]:443', mapped: '::ffff:192.0.2.77' }],
    times: '2026-06-17T14:30:00.123Z 12:30:45 x::y std::string 1.2.3',
  }
  const line = textOf(encode([JSON.stringify({ ...entry, ...other })], { ...defaultPrivacy, addresses }))
  expect(line).not.toMatch(/192\.0\.2\.77|3:4:5:6/)
  expect(JSON.parse(line).times).toBe(other.times)
  expect(line.includes('192.0.2.0')).toBe(addresses === 'truncate')
})

test("a visitor's credential appears neither in lines nor in dead letters", () => {
  const secret = 'dmlzaXRvcjpzZWNyZXQ='
  const good = JSON.stringify({ ...entry, authorizationHeader: `Basic ${secret}` })
  const lines = encode([good, good.replace('"statusCode":200', '"statusCode":"x"')])
  expect([lines.rows, lines.rejects.length]).toEqual([1, 1])
  expect(textOf(lines) + JSON.stringify(lines.rejects)).not.toContain(secret)
  expect(fieldsOf({ authorizationHeader: secret }, keepAll)).toMatchObject({ authorizationHeader: secret })
})

test('tokens in a URL are masked, also those with configured names', () => {
  const privacy: PrivacyConfig = { ...defaultPrivacy, queryTokens: 'mask', tokenNames: ['Ticket'] }
  const url = 'https://user:pass@a.example/b?token=abc&page=1&ticket=d'
  const masked = 'https://[redacted]@a.example/b?token=[redacted]&page=1&ticket=[redacted]'
  const fields = fieldsOf({ url, path: url, referer: url, userAgent: url }, privacy)
  expect(fields).toMatchObject({ url: masked, path: masked, referer: masked, userAgent: url })
})

test.each([
  ['192.0.2.77', '192.0.2.0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:db8::1', '2001:db8::'],
  ['::ffff:192.0.2.130', '192.0.2.0'],
  ['::ffff:c000:282', '192.0.2.0'],
  ['64:ff9b::192.0.2.130', '192.0.2.0'],
  ['::1', '::'],
  ['unknown', undefined],
])('IP addresses are truncated or dropped: %s', (remoteIp, truncated) => {
  expect(fieldsOf({ remoteIp }, { ...defaultPrivacy, addresses: 'truncate' }).remoteIp).toBe(truncated)
  expect(fieldsOf({ remoteIp }, { ...defaultPrivacy, addresses: 'drop' })).not.toHaveProperty('remoteIp')
})
