import fc from 'fast-check'
import type { LineBatch } from '../../src/reader/api-reader.ts'
import { entryColumns } from '../../src/rows/columns.ts'

/** Puts rows into a batch as a page does. Each row has its shown time, or `time` if it shows none. */
export function batchOf(rows: readonly (string | Uint8Array)[], time: number): LineBatch {
  const pieces = rows.map((row) => Buffer.from(row))
  const [starts, ends] = [new Uint32Array(rows.length), new Uint32Array(rows.length)]
  let length = 0
  for (const [n, piece] of pieces.entries()) {
    starts[n] = length
    ends[n] = length + piece.length
    length += piece.length + 1
  }
  return {
    bytes: new Uint8Array(Buffer.concat(pieces.flatMap((piece) => [piece, Buffer.from('\n')]))),
    starts,
    ends,
    times: Float64Array.from(pieces, (piece) => timeOf(String(piece)) ?? time),
    end: time + 1,
  }
}

function timeOf(row: string): number | undefined {
  try {
    const { timestamp } = JSON.parse(row) ?? {}
    return /^\d{4}-.*T.*(Z|[+-]\d\d:\d\d)$/.test(timestamp) ? Math.floor(Date.parse(timestamp)) : undefined
  } catch {
    return undefined
  }
}

/** The usual value in nine of ten cases, the other one in the tenth. */
function mostly<T, U>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: other })
}

/** Text from attackers and broken clients. */
export const hostileText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom(
      '"',
      '\\',
      '|',
      '\n',
      '\0',
      '\u001f',
      '\u007f',
      '\u2028',
      '\ud800',
      '\udc00',
      '😀',
      'é',
      '/',
      '{',
      '}',
      ',',
      ':',
    ),
  }),
  fc.constantFrom('', '-', 'https://a.example/b?token=c&d=e#f', '192.0.2.1', '2001:db8::1', '__proto__', 'null'),
)

/** JSON of a text. JSON has several spellings for a text; this uses one of them. */
const jsonText = fc.tuple(hostileText, fc.constantFrom('plain', 'escaped', 'slashes')).map(([text, style]) => {
  const json = JSON.stringify(text)
  if (style === 'slashes') return json.replaceAll('/', '\\/')
  const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`
  return style === 'plain' ? json : json.replace(/[&a-f]|[^\0-~]/g, toEscape)
})
const number = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }).map(String),
  fc.constantFrom(
    '0',
    '-0',
    '00',
    '01',
    '-',
    '1.5',
    '1e3',
    '1E400',
    '2147483647',
    '2147483648',
    '999999999999999',
    '1000000000000000',
    '9223372036854775807',
    '0x1',
    '+1',
  ),
)
const otherValue = fc.oneof(
  fc.constantFrom('null', 'true', '{}', '[]', '{"b":null,"a":[1,"\\ud800"]}', '[1234567890123456789]', 'nul', ''),
  number,
  jsonText,
)
const time = fc.constantFrom(
  '"2026-06-17T14:30:00.000Z"',
  '"2026-06-17T14:30:00.000+00:00"',
  '"2026-06-17T16:30:00.000+02:00"',
  '"2026-06-17T14:30:00Z"',
  '"2026-06-17T14:30:00.0000001Z"',
)
const names = entryColumns.map(({ name }) => name)
const member = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.constantFrom(...entryColumns).chain(({ name, type }) =>
      fc
        .oneof(
          {
            weight: 30,
            arbitrary: type === 'timestamp' ? time : type === 'string' ? jsonText : fc.nat().map(String),
          },
          { weight: 2, arbitrary: fc.constant('null') },
          { weight: 1, arbitrary: otherValue },
        )
        .map((value): [string, string] => [`"${name}"`, value]),
    ),
  },
  { weight: 1, arbitrary: fc.tuple(jsonText, otherValue) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom('"source"', '"extra"', '"1"', '"__proto__"', '"p\\u0061th"', '"hos"', 'path'),
      otherValue,
    ),
  },
)
const required = [
  ['"timestamp"', '"2026-06-17T14:30:00.000Z"'],
  ['"pullZoneId"', '1'],
  ['"statusCode"', '200'],
  ['"bytesSent"', '10'],
] as const

/** Entries of version 2 as bytes. Many are valid, the others have all kinds of flaws. */
export const entryTexts: fc.Arbitrary<Uint8Array> = fc
  .record({
    members: fc.array(member, { maxLength: 12 }),
    hasRequired: mostly(fc.constant(true), fc.constant(false)),
    isOrdered: fc.boolean(),
    isUnique: mostly(fc.constant(true), fc.constant(false)),
    space: mostly(fc.constant(''), fc.constantFrom(' ', '\n')),
    damage: mostly(fc.constant(null), fc.tuple(fc.nat(300), fc.integer({ min: 0, max: 255 }))),
    cut: mostly(fc.constant(null), fc.nat(100)),
  })
  .map(({ members, hasRequired, isOrdered, isUnique, space, damage, cut }) => {
    const all = [...(hasRequired ? required : []), ...members]
    const unique = isUnique ? [...new Map(all)] : all
    const place = ([name]: readonly [string, string]) => names.indexOf(name.slice(1, -1))
    const ordered = isOrdered ? unique.toSorted((a, b) => place(a) - place(b)) : unique
    const bytes = Buffer.from(`{${ordered.map(([name, value]) => `${name}${space}:${value}`).join(`,${space}`)}}`)
    if (damage && damage[0] < bytes.length) bytes[damage[0]] = damage[1]
    return new Uint8Array(cut === null ? bytes : bytes.subarray(0, cut))
  })

const field = fc.oneof(
  { weight: 4, arbitrary: hostileText.map((text) => text.replaceAll(/[|\n]/g, '')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '-',
      '',
      'http://a.example',
      'https://a.example?b',
      'HTTPS://a/b',
      'ftp://a:b@c/d',
      '/only/path',
      'https:/x',
      'httpx://a/',
    ),
  },
)
const integer = fc.oneof(
  { weight: 9, arbitrary: fc.nat().map(String) },
  { weight: 1, arbitrary: fc.oneof(number, fc.constantFrom('-', '', '007', '123456789012345678901')) },
)

/** Lines of version 1 as bytes. Many are valid, the others have all kinds of flaws. */
export const lineTexts: fc.Arbitrary<Uint8Array> = fc
  .record({
    count: fc.constantFrom(12, 12, 15, 15, 11, 16),
    texts: fc.array(field, { minLength: 16, maxLength: 16 }),
    integers: fc.array(integer, { minLength: 4, maxLength: 4 }),
    damage: mostly(fc.constant(null), fc.tuple(fc.nat(300), fc.integer({ min: 0, max: 255 }))),
  })
  .map(({ count, texts, integers, damage }) => {
    const fields = texts.map((text, n) =>
      n === 2 ? '1781706600000' : n === 1 || n === 3 || n === 4 || n === 12 ? integers[n % 4] : text,
    )
    const bytes = Buffer.from(fields.slice(0, count).join('|'))
    // Damage does not touch the time, because it must match the time in the batch.
    const from = bytes.indexOf('1781706600000')
    const isTime = damage && damage[0] >= from && damage[0] < from + 13
    if (damage && damage[0] < bytes.length && damage[1] !== 10 && !isTime) bytes[damage[0]] = damage[1]
    return new Uint8Array(bytes)
  })
