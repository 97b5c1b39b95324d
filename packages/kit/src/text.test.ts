import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from './testing/any-text.ts'
import { cleanLines, terminalText } from './text.ts'

/** The characters that must never reach a terminal. */
const unsafe =
  /[\p{Cc}\p{Cs}\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\u{e0001}-\u{e007f}]/u
const hostile = fc.string({
  unit: fc.oneof(
    anyCharacter,
    fc.integer({ min: 0, max: 0x206f }).map((code) => String.fromCharCode(code)),
    fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code)),
  ),
})

test('shown text has no character that controls a terminal, for any input', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(terminalText(text)).not.toMatch(unsafe)
      expect(cleanLines(text).replaceAll(/[\n\t]/g, '')).not.toMatch(unsafe)
    }),
  )
})

test.each([
  ['\u001b[31mred\u001b]0;title\u0007', '\\u001b[31mred\\u001b]0;title\\u0007'],
  ['abc\u202etxt.exe', 'abc\\u202etxt.exe'],
  ['\u2066a\u2069', '\\u2066a\\u2069'],
  ['\u009b2J', '\\u009b2J'],
  ['a\r\nb\tc', 'a\\u000d\\u000ab\\u0009c'],
  ['\ud800x', '\ufffdx'],
  ['\u{e0041}', '\\udb40\\udc41'],
  ['naïve 日本 👩‍👩‍👧', 'naïve 日本 👩‍👩‍👧'],
])('%j is shown as %j', (text, shown) => {
  expect(terminalText(text)).toBe(shown)
})
