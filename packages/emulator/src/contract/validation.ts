import type { Schema } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { createValidators } from '@cdn/kit/contract-validator'
import { stringifyJson } from '@cdn/kit/json'
import { isRecord, toRecord } from '@cdn/kit/record'

/** Validators of the schemas of the contract and of the emulator's options; all errors are reported at once. */
export const validatorOf = createValidators(true)

/**
 * Replaces each bigint of a JSON value by a number, because validators do not support bigint. A bigint outside int64 becomes 2^64, so
 * that a validator refuses it as int64; a rounded number at the limit could pass.
 */
export function toNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? Number(value) : 2 ** 64
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(toNumbers)
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, toNumbers(part)]))
}

/** Maximum number of characters of an invalid value in a message. */
const maxShown = 100

/**
 * Checks an option or the body of a control request. References in the schema are not followed.
 *
 * @param name name of the value in the message
 * @returns the value; an object without its undefined members, which would replace defaults
 * @throws RangeError in one sentence: the first problem, and what would be right
 */
export function checkValue<T>(schema: Schema, value: unknown, name: string): T {
  const validate = validatorOf<T>(schema, {})
  if (validate(value) || validate(toNumbers(value))) return withoutUndefined(value) as T // the schema has accepted it
  const { keyword, instancePath, params } = assertDefined(validate.errors?.[0])
  const steps = instancePath.split('/').slice(1)
  const place = name + steps.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`)).join('')
  const node = steps.reduce<Schema>((each, step) => each.properties?.[step] ?? each.items ?? {}, schema)
  if (keyword === 'required') throw new RangeError(`${place}.${params['missingProperty']} is missing`)
  if (keyword === 'additionalProperties') {
    const names = Object.keys(node.properties ?? {}).join(', ')
    throw new RangeError(`${place} has an unknown key "${params['additionalProperty']}": expected one of ${names}`)
  }
  const given = steps.reduce<unknown>((each, step) => toRecord({ ...(each as object) })[step], value)
  throw new RangeError(`${place} must be ${formOf(node)}, not ${String(stringifyJson(given)).slice(0, maxShown)}`)
}

function withoutUndefined(value: unknown): unknown {
  return isRecord(value) ? Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) : value
}

/** Describes the values that a schema accepts, such as `an integer from 1 to 9`. */
export function formOf(schema: Schema): string {
  const { type, format, minimum, exclusiveMinimum, maximum, pattern, items, minItems } = schema
  if (schema.enum) return `one of ${schema.enum.join(', ')}`
  const bounds =
    (minimum === undefined ? '' : ` from ${minimum}`) +
    (exclusiveMinimum === undefined ? '' : ` above ${exclusiveMinimum}`) +
    (maximum === undefined ? '' : ` to ${maximum}`)
  const lengths =
    (minItems === undefined ? '' : ` of at least ${minItems}`) +
    (schema['maxItems'] === undefined ? '' : ` of at most ${schema['maxItems']}`)
  const text = pattern ? `text that matches ${pattern}` : 'text'
  const forms: Readonly<Record<string, string>> = {
    array: `a list${lengths}${items?.type ? `, each ${formOf(items)}` : ''}`,
    boolean: 'true or false',
    integer: `an integer${bounds}`,
    number: `a number${bounds}`,
    object: 'an object',
    string: format === 'date-time' ? 'a date and time with a time zone, such as 2026-06-17T12:00:00Z' : text,
  }
  return (
    [type]
      .flat()
      .flatMap((name) => forms[name ?? ''] ?? [])
      .join(', or ') || text
  )
}
