import type { OpenApi, Schema } from '@cdn/api/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

// OpenAPI's own formats (int32, int64, binary) are checked when values are parsed, at full precision.
const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { int32: true, int64: true, binary: true } })
addFormats.default(ajv)

const compiled = new WeakMap<Schema, ValidateFunction>()

/** Compiles a self-contained schema that describes the type `T`. */
export function compileSchema<T>(schema: Schema): ValidateFunction<T> {
  return ajv.compile<T>(schema)
}

/**
 * Compiles a schema of the contract, once per schema.
 *
 * @param schema the schema object of the contract
 * @param api the OpenAPI document that contains the targets of its references
 */
export function validatorOf(schema: Schema, api: OpenApi): ValidateFunction {
  let validate = compiled.get(schema)
  if (!validate) {
    validate = ajv.compile({ ...schema, components: api.components })
    compiled.set(schema, validate)
  }
  return validate
}
