/**
 * Decimal arithmetic on numbers as they are written: in floating point, 0.07 / 0.01 is 7.000000000000001, so a price would not be a
 * multiple of a cent.
 */

/** Whether a value is a multiple of a step above 0, by their decimal digits. */
export function isMultipleOf(value: number, step: number): boolean {
  const [units, steps] = toUnits(value, step)
  return units % steps === 0n
}

/** Returns the smallest multiple of a step above 0 that is not below a value. */
export function nextMultiple(value: number, step: number): number {
  const [units, steps, scale] = toUnits(value, step)
  const rest = ((units % steps) + steps) % steps
  return fromUnits(rest === 0n ? units : units - rest + steps, scale)
}

/** Adds two numbers by their decimal digits: 0.7 + 0.1 is 0.8. */
export function addDecimals(one: number, other: number): number {
  const [first, second, scale] = toUnits(one, other)
  return fromUnits(first + second, scale)
}

/** Returns both numbers as multiples of 10^-scale, and the scale: the larger number of decimals of the two. */
function toUnits(one: number, other: number): [bigint, bigint, number] {
  const numbers = [one, other].map((number) => {
    const [digits = '0', exponent = '0'] = String(number).split('e')
    const [whole = '0', decimals = ''] = digits.split('.')
    return { units: BigInt(whole + decimals), scale: decimals.length - Number(exponent) }
  })
  const scale = Math.max(0, ...numbers.map((number) => number.scale))
  const [first = 0n, second = 0n] = numbers.map((number) => number.units * 10n ** BigInt(scale - number.scale))
  return [first, second, scale]
}

const fromUnits = (units: bigint, scale: number) => Number(`${units}e-${scale}`)
