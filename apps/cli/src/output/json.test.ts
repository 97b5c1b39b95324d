import { assertDefined } from '@cdn/kit/assert-defined'
import { anyText } from '@cdn/kit/testing/any-text'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonText, toCsvLine } from './json.ts'

test('JSON reads back as the same value, and contains no character that controls a terminal', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = jsonText(value, indent)
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u)
    }),
  )
})

test('a lone surrogate becomes U+FFFD, so that other tools accept the file', () => {
  expect(jsonText({ a: 'x\ud83d', b: '\udc00y', '\udc00': 1 })).toBe('{"a":"x\ufffd","b":"\ufffdy","\ufffd":1}')
  expect(jsonText(['\\ud83d', '\\\ud83d', '😀'])).toBe('["\\\\ud83d","\\\\\ufffd","😀"]')
})

/** An independent reader of one CSV line (RFC 4180). */
function readLine(line: string): string[] {
  const cells: string[] = []
  let at = 0
  for (;;) {
    if (line[at] === '"') {
      let end = line.indexOf('"', at + 1)
      while (line[end + 1] === '"') end = line.indexOf('"', end + 2)
      cells.push(line.slice(at + 1, end).replaceAll('""', '"'))
      at = end + 1
    } else {
      const [rest] = assertDefined(/^[^,\n]*/.exec(line.slice(at)))
      cells.push(rest)
      at += rest.length
    }
    if (line[at] !== ',') return cells
    at++
  }
}

test('any cells are one line, read back cell by cell, and a spreadsheet runs none of them', () => {
  const cell = fc.oneof(
    anyText,
    fc
      .constantFrom('=', '+', '-', '@', '＝', '\t=', ' =', '\r=', '"', '""')
      .chain((start) => fc.string().map((text) => start + text)),
  )
  fc.assert(
    fc.property(fc.array(cell, { minLength: 1, maxLength: 10 }), (cells) => {
      const line = toCsvLine(cells)
      expect(line.indexOf('\n')).toBe(line.length - 1)
      const read = readLine(line)
      expect(read).toHaveLength(cells.length)
      for (const text of read) {
        expect(text).not.toMatch(/^\s*[=+@＝＋－＠]|^\s*-(?!$|\d+(\.\d+)?$)/)
        expect(text).not.toMatch(/\p{Cc}/u)
      }
    }),
  )
})

test.each([
  ["=cmd|' /C calc'!A0", "\"'=cmd|' /C calc'!A0\"\n"],
  ['@SUM(1)', "'@SUM(1)\n"],
  ['-', '-\n'],
  ['-1.5', '-1.5\n'],
  ['+0', "'+0\n"],
  ['+49 30', '"\'+49 30"\n'],
  ['a,b"c', '"a,b""c"\n'],
  ['two\nlines', 'two\\u000alines\n'],
  [9007199254740993n, '9007199254740993\n'],
  [-5, '-5\n'],
  [null, '\n'],
  [{ a: [1] }, '"{""a"":[1]}"\n'],
])('a cell is escaped correctly (%#)', (value, line) => {
  expect(toCsvLine([value])).toBe(line)
})
