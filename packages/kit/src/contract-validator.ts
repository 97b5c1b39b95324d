import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

/** Compiles a schema of a contract, once per schema. Its references point into `components` of the document. */
export type ValidatorOf = <T>(schema: object, document: { readonly components?: object }) => ValidateFunction<T>

/**
 * Creates validators for schemas of OpenAPI 3.1. OpenAPI's own formats (int32, int64, binary) always pass, because the parser
 * already checks numbers at full precision.
 *
 * @param allErrors whether validation continues after the first error
 */
export function createValidators(allErrors: boolean): ValidatorOf {
  const ajv = new Ajv2020({ strict: false, allErrors, formats: { int32: true, int64: true, binary: true } })
  addFormats.default(ajv)
  const compiled = new WeakMap<object, ValidateFunction>()
  return <T>(schema: object, { components }: { readonly components?: object }) => {
    const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components })
    compiled.set(schema, validate)
    return validate as ValidateFunction<T> // the caller states the schema's type, as for ajv's `compile`
  }
}
