import type { Collector, PageRows } from '@cdn/api/logs'
import { parseJson } from '@cdn/kit/json'
import { anyText } from '@cdn/kit/testing/any-text'
import fc from 'fast-check'
import { entryColumns } from '../../src/rows/columns.ts'
import { testEncode } from './test-settings.ts'

const encode = testEncode()

/** Puts rows into a page, as a reader does. Each has the time that it shows, or `time` if it shows none. */
export function collectPage<Rows>(rows: readonly string[], time: number, collector: Collector<Rows>): PageRows<Rows> {
  const times: number[] = []
  for (const each of rows) {
    const text = Buffer.from(each).toString() // a response has no lone surrogate
    const exactRow = parseJson(text) as Parameters<(typeof collector)['add']>[0] // the caller passes objects
    const shown = timeOf(String(exactRow['timestamp'])) ?? time
    collector.add(JSON.parse(text), shown, text.includes('\\'), () => exactRow)
    times.push(shown)
  }
  return { rows: collector.end(), times, unreadable: [] }
}

/** The time that a row shows, in ms. */
export function timeOf(timestamp: string): number | undefined {
  return /^\d{4}-.*T.*(Z|[+-]\d\d:\d\d)$/.test(timestamp) ? Math.floor(Date.parse(timestamp)) : undefined
}

function mostly<T, U>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: other })
}

/** Text from attackers and broken clients. */
export const hostileText = fc.oneof(
  fc.string(),
  anyText,
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

/** Rows of version 2 as JSON. Many are usual, the others have all kinds of flaws. */
export const entryTexts: fc.Arbitrary<string> = fc
  .record({
    members: fc.array(member, { maxLength: 12 }),
    hasRequired: mostly(fc.constant(true), fc.constant(false)),
    isOrdered: fc.boolean(),
    isUnique: mostly(fc.constant(true), fc.constant(false)),
  })
  .map(({ members, hasRequired, isOrdered, isUnique }) => {
    const all = [...(hasRequired ? required : []), ...members]
    const unique = isUnique ? [...new Map(all)] : all
    const place = ([name]: readonly [string, string]) => names.indexOf(name.slice(1, -1))
    const ordered = isOrdered ? unique.toSorted((a, b) => place(a) - place(b)) : unique
    return `{${ordered.map(([name, value]) => `${name}:${value}`).join(',')}}`
  })
  .filter(isJson)

/** Canonical lines of the rows that the encoder accepts. */
export const canonicalLine: fc.Arbitrary<string> = entryTexts
  .map((text) => String(Buffer.from(encode.lines(collectPage([text], Date.UTC(2026, 5, 17), encode.page())).bytes)))
  .filter((line) => line !== '')

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
