import { expect, test } from 'vitest'
import { defined } from './defined.ts'

test('falsy values are values', () => {
  expect([0, '', false, Number.NaN].map((value) => defined(value))).toEqual([0, '', false, Number.NaN])
})

test.each([undefined, null])('%s is a fault', (missing) => {
  expect(() => defined(missing)).toThrow('A value that cannot be missing is missing')
})
