import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitText, textWidth } from './width.ts'

test.each([
  ['', 0],
  ['abc', 3],
  ['naïve', 5],
  ['e\u0301', 1],
  ['日本', 4],
  ['ｱ', 1],
  ['👩‍👩‍👧', 2],
  ['🇩🇪', 2],
  ['❤️', 2],
  ['…', 1],
])('%s takes %i columns', (text, width) => {
  expect(textWidth(text)).toBe(width)
})

test('a fitted text takes exactly its columns; any text except a path, URL or list keeps its beginning', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 }), (text, width) => {
      const shown = fitText(text, width)
      // A letter that is two columns wide may not fit into the last column, which then stays empty.
      expect(textWidth(shown)).toBe(width)
      if (/^(\/|https?:\/\/)| \+\d+$/.test(text)) return
      const visible = shown.trimEnd().replace(/…$/, '')
      expect(text.startsWith(visible) || text.trimEnd() === visible).toBe(true)
    }),
  )
})

test('alignment', () => {
  expect(fitText('ab', 4)).toBe('ab  ')
  expect(fitText('ab', 4, 'right')).toBe('  ab')
  expect(fitText('ab', 4, 'none')).toBe('ab')
  expect(fitText('abcdef', 4, 'right')).toBe('abc…')
  expect(fitText('abc', 0)).toBe('')
})
