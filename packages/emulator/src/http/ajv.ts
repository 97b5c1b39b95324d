import type { OpenApi, Schema } from '@cdn/api/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

// OpenAPI's own formats (int32, int64, binary) are checked where values are read, with all their digits.
const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { int32: true, int64: true, binary: true } })
addFormats.default(ajv)

const compiled = new WeakMap<Schema, ValidateFunction>()

/**
 * A validator for a schema of the contract; compiled once.
 *
 * @param schema as it stands in the contract
 * @param api the OpenAPI document that its references point into
 */
export function validatorOf(schema: Schema, api: OpenApi): ValidateFunction {
  let validate = compiled.get(schema)
  if (!validate) {
    validate = ajv.compile({ ...schema, components: api.components })
    compiled.set(schema, validate)
  }
  return validate
}
