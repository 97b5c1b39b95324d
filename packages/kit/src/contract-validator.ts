import { _, Ajv2020, type KeywordErrorDefinition, str, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { assertDefined } from './assert-defined.ts'
import { isMultipleOf } from './decimal.ts'

const none = {}

/** Compiles a schema of a contract, once per schema. Its references point into `components` of the document. */
export type ValidatorOf = <T>(schema: object, document: { readonly components?: object }) => ValidateFunction<T>

/** The sentence and the parameter of Ajv's own `multipleOf`. */
const ofMultiple: KeywordErrorDefinition = {
  message: ({ schemaCode }) => str`must be multiple of ${schemaCode}`,
  params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}`,
}

/**
 * Creates validators for schemas of OpenAPI 3.1. `int64` accepts 2^63, too, because a number cannot represent 2^63 - 1.
 * `multipleOf` compares decimal digits.
 *
 * @param allErrors whether validation continues after the first error
 */
export function createValidators(allErrors: boolean): ValidatorOf {
  const ajv = new Ajv2020({ strict: false, allErrors, logger: false, ownProperties: true })
  addFormats.default(ajv)
  ajv.addFormat('int64', { type: 'number', validate: (value) => Math.abs(value) <= 2 ** 63 })
  ajv.removeKeyword('multipleOf')
  ajv.addKeyword({
    keyword: 'multipleOf',
    type: 'number',
    schemaType: 'number',
    error: ofMultiple,
    errors: false,
    validate: (step: number, value: number) => isMultipleOf(value, step),
  })
  const compiled = new WeakMap<object, ValidateFunction>()
  // The schemas of a document have one root, so that each of its components is compiled once.
  const roots = new Map<object, { readonly $id: string; readonly components: object; readonly schemas: object[] }>()
  return <T>(schema: object, { components = none }: { readonly components?: object }) => {
    const root = roots.get(components) ?? { $id: `contract:${roots.size}`, components, schemas: [] }
    if (!roots.has(components)) ajv.addSchema(root)
    roots.set(components, root)
    const compile = () => assertDefined(ajv.getSchema(`${root.$id}#/schemas/${root.schemas.push(schema) - 1}`))
    const validate = compiled.get(schema) ?? compile()
    compiled.set(schema, validate)
    return validate as ValidateFunction<T> // the caller states the schema's type, as for ajv's `compile`
  }
}
