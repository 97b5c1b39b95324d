import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { yamlText } from './yaml.ts'

test('reads back as the same value, and has no character that controls a terminal', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      const text = yamlText(value)
      expect(parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u)
    }),
    { examples: [['\u202e'], ['\u{e0001}'], ['a\nb'.repeat(40)], [{ '\u009b': 'x: y # z' }], ['\t'], [''], [-0]] },
  )
})

test('64-bit integers are written exactly, lone surrogates become U+FFFD', () => {
  expect(yamlText({ id: 9007199254740993n, a: 'x\ud83d' })).toBe('id: 9007199254740993\na: x\ufffd\n')
})
