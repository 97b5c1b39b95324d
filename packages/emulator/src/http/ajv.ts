import { createValidators } from '@cdn/kit/contract-validator'

/** Validators of the schemas of the contract and of the configuration; all errors are reported at once. */
export const validatorOf = createValidators(true)

/**
 * Replaces each bigint of a JSON value by a number that has the format int64 if the bigint has it. A validator does not support
 * bigint, and a number has too few digits at this limit.
 */
export function toNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? Number(value) : 2 ** 64
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(toNumbers)
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, toNumbers(part)]))
}
