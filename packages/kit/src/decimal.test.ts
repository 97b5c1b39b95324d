import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createValidators } from './contract-validator.ts'
import { addDecimals, isMultipleOf, nextMultiple } from './decimal.ts'

const step = fc.constantFrom(0.001, 0.01, 0.05, 0.1, 0.25, 1, 2.5, 1e21, 1e-7)
const count = fc.integer({ min: -10_000_000, max: 10_000_000 })
/** The oracle: a multiple, computed with integers. */
const product = (times: number, of: number) => {
  const [digits = '', exponent = '0'] = String(of).split('e')
  const [whole = '', decimals = ''] = digits.split('.')
  return Number(`${BigInt(times) * BigInt(whole + decimals)}e${Number(exponent) - decimals.length}`)
}

test('each multiple of a step is recognized, and a value half a step above it is not', () => {
  fc.assert(
    fc.property(count, step, (times, of) => {
      const value = product(times, of)
      expect(isMultipleOf(value, of)).toBe(true)
      expect(nextMultiple(value, of)).toBe(value)
      if (of < 1e20) expect(isMultipleOf(product(2 * times + 1, of / 2), of)).toBe(false)
    }),
  )
})

test('the next multiple is not below the value, and less than a step above it', () => {
  fc.assert(
    fc.property(count, fc.constantFrom(0.01, 0.1, 0.25, 3), (thousandths, of) => {
      const value = thousandths / 1000
      const next = nextMultiple(value, of)
      expect(isMultipleOf(next, of)).toBe(true)
      expect(next).toBeGreaterThanOrEqual(value)
      expect(next - value).toBeLessThan(of)
    }),
  )
})

test('sums have no more decimals than their parts', () => {
  expect(addDecimals(0.7, 0.1)).toBe(0.8)
  expect(addDecimals(-0.3, 0.1)).toBe(-0.2)
  expect(addDecimals(1e21, 1)).toBe(1e21)
})

test('a validator accepts every price in cents, and refuses half a cent', () => {
  const validate = createValidators(true)({ type: 'number', multipleOf: 0.01, minimum: 0 }, {})
  const prices = Array.from({ length: 100_000 }, (_, cents) => Number((cents / 100).toFixed(2)))
  expect(prices.filter((price) => !validate(price))).toEqual([])
  expect(validate(0.005)).toBe(false)
  expect(validate.errors).toMatchObject([{ keyword: 'multipleOf', message: 'must be multiple of 0.01' }])
})
