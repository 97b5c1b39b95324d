import { defined } from '@cdn/kit/defined'
import { cleanLines, terminalText } from '@cdn/kit/text'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

/** Whether a character must never reach a terminal raw. Implemented separately from the program, by code points. */
function isUnsafe(code: number): boolean {
  const ranges: readonly (readonly [first: number, last: number])[] = [
    [0x00, 0x1f],
    [0x7f, 0x9f],
    [0xad, 0xad],
    [0x61c, 0x61c],
    [0x200b, 0x200b],
    [0x200e, 0x200f],
    [0x2028, 0x202e],
    [0x2060, 0x2064],
    [0x2066, 0x206f],
    [0xd800, 0xdfff],
    [0xfeff, 0xfeff],
    [0xe0001, 0xe007f],
  ]
  return ranges.some(([first, last]) => code >= first && code <= last)
}

const unsafeIn = (text: string) => [...text].filter((character) => isUnsafe(defined(character.codePointAt(0))))
const hostile = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.integer({ min: 0, max: 0x206f }).map((code) => String.fromCharCode(code)),
    fc.integer({ min: 0xd800, max: 0xdfff }).map((code) => String.fromCharCode(code)),
  ),
})

describe('text that is shown', () => {
  test('contains no character that controls a terminal, for any input', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(unsafeIn(terminalText(text))).toEqual([])
      }),
    )
    fc.assert(
      fc.property(hostile, (text) => {
        expect(unsafeIn(cleanLines(text).replaceAll(/[\n\t]/g, ''))).toEqual([])
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

  test('plain text stays as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-ascii' }), (text) => {
        expect(terminalText(text)).toBe(text)
      }),
    )
  })
})
