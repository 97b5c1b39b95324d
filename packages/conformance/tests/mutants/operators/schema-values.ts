/** Makes and validates values of the contract's schemas, for operators. */
import { contracts, type InterfaceName, plainSchema, type Resolve, type Schema, sampleOf } from '@cdn/api/contract'
import { createValidators } from '@cdn/kit/contract-validator'
import { stringifyJson } from '@cdn/kit/json'
import { followReference } from '@cdn/kit/reference'

/** Returns the validator of a schema, which stops at the first error. */
export const validatorOf = createValidators(false)

export function resolverOf(of: InterfaceName): Resolve {
  return (schema) => followReference(contracts[of].openapi.full, schema)
}

/** Returns a valid value that differs from the present one; a sample of the schema if no such value is found. */
export function otherValue(of: InterfaceName, stated: Schema, present: unknown): unknown {
  const resolve = resolverOf(of)
  const style = { host: 'other.invalid', now: new Date(), text: () => 'other' }
  const schema = plainSchema(stated, resolve)
  const sample = sampleOf(schema, resolve, style)
  const list = schema.items ? [[sampleOf(schema.items, resolve, style)]] : []
  const whole = sampleOf(schema, resolve, { ...style, isBlank: true })
  const others = [...(schema.enum ?? []), ...list, whole, true, false, Number(sample) + (schema.multipleOf ?? 1)]
  const validate = validatorOf(schema, contracts[of].openapi.full)
  const isOther = (value: unknown) => stringifyJson(value) !== stringifyJson(present)
  return [sample, ...others].find((value) => isOther(value) && validate(value)) ?? sample
}
