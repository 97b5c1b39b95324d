import { expect, test } from 'vitest'
import { isMatch, textMatching } from './pattern.ts'

test.each([
  ['^AC[0-9a-fA-F]{32}$', 0, 1000],
  ['^x+$', 3, 5],
  ['^[a-z0-9-]{2,}$', 10, 12],
  ['^(?:v|version )\\d+(?:\\.\\d+)?$', 0, 20],
  ['^(?<year>\\d{4})-(0[1-9]|1[0-2])$', 0, 7],
  ['^[^/\\]]+?/\\S*$', 0, 10],
  ['^\\p{Lu}[\\w.]\\{\\u0041$', 0, 10],
  ['^a{2}b?c*$', 4, 10],
  ['sha256:.{3}', 0, 10],
  ['^(?=.*\\d)\\d+$', 0, 10],
])('a text that %s matches, with %i to %i characters', (pattern, min, max) => {
  const text = textMatching(pattern, min, max)
  expect(text).toMatch(new RegExp(pattern, 'u'))
  expect(text?.length).toBeGreaterThanOrEqual(min)
  expect(text?.length).toBeLessThanOrEqual(max)
})

test('no text for lookaheads that matter, references, too many repetitions, and texts that are too long', () => {
  for (const pattern of ['^(?=x)y', '^(a|b)c\\1$', '^x{1000000000}$', '^x{30}$'])
    expect(textMatching(pattern, 0, 20)).toBeUndefined()
})

test('any text matches an expression that is not one of JavaScript', () => {
  expect([isMatch('a', '['), isMatch('a', 'a'), isMatch('a', 'b')]).toEqual([true, true, false])
})
