import { expect, test } from 'vitest'
import { followReference } from './reference.ts'

const document = {
  paths: { '/a/{b}': { list: ['first', { $ref: '#/parts/one' }] } },
  parts: {
    one: { $ref: '#/parts/two' },
    two: { id: 2, inner: { $ref: '#/parts/one' } },
    loop: { $ref: '#/parts/loop' },
    'a b%': 3,
  },
}

test.each([
  ['#/parts/one', { id: 2, inner: { $ref: '#/parts/one' } }],
  ['#/paths/~1a~1{b}/list/0', 'first'],
  ['#/paths/~1a~1%7Bb%7D/list/1', { id: 2, inner: { $ref: '#/parts/one' } }],
  ['#/parts/a%20b%', undefined],
  ['#/parts/a b%', 3],
])('the target of %s', (reference, target) => {
  if (target === undefined) expect(() => followReference(document, { $ref: reference })).toThrow('does not resolve')
  else expect(followReference<unknown>(document, { $ref: reference })).toEqual(target)
})

test.each([
  ['#/parts/three', 'the reference #/parts/three does not resolve'],
  ['#/parts/toString', 'the reference #/parts/toString does not resolve'],
  ['other.yaml#/parts/one', 'the reference other.yaml#/parts/one does not resolve'],
  ['#/parts/loop', 'the reference #/parts/loop is part of a cycle'],
])('%s is a fault', (reference, sentence) => {
  expect(() => followReference(document, { $ref: reference })).toThrow(new RangeError(sentence))
})

test.each([[null], ['text'], [{ $ref: 7 }], [[1]]])('%j is not a reference', (node) => {
  expect(followReference<unknown>(document, node)).toBe(node)
})
