import { expect, test } from 'vitest'
import { assertDefined } from './assert-defined.ts'

test('falsy values are values', () => {
  expect([0, '', false, Number.NaN].map((value) => assertDefined(value))).toEqual([0, '', false, Number.NaN])
})

test.each([undefined, null])('%s is a fault', (missing) => {
  expect(() => assertDefined(missing)).toThrow('A value that cannot be missing is missing')
})
