import { contracts, type OpenApi, type Operation, type Schema } from '@cdn/api/contract'
import { followReference } from '@cdn/kit/reference'

/**
 * Follows references and merges the parts of `allOf`, to find the properties. If `oneOf` or `anyOf` has a single alternative next
 * to `null`, that alternative is merged, too. Several alternatives stay unchanged.
 *
 * @param api document that references are relative to
 * @returns a schema without `$ref` and `allOf` at its top
 */
export function flatten(schema: Schema, api: OpenApi): Schema {
  const { $ref, allOf = [], ...own } = schema
  const parts = $ref === undefined ? allOf : [...allOf, followReference<Schema>(api, { $ref })]
  const merged = parts.map((part) => flatten(part, api)).reduce<Schema>(merge, own)
  const [only, ...others] = alternativesOf(merged, api)
  if (!only || others.length > 0) return merged
  const { oneOf: _, anyOf: __, ...rest } = merged
  return merge(rest, only)
}

/** The flattened alternatives of `oneOf` or `anyOf`, without `null`; an empty list for other schemas. */
export function alternativesOf(schema: Schema, api: OpenApi): readonly Schema[] {
  const { oneOf, anyOf = [] } = schema
  return (oneOf ?? anyOf).map((part) => flatten(part, api)).filter((part) => part['type'] !== 'null')
}

function merge(a: Schema, b: Schema): Schema {
  const properties = { ...b.properties, ...a.properties }
  const required = [...(a.required ?? []), ...(b.required ?? [])]
  return {
    ...b,
    ...a,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  }
}

/** The JSON types of a schema, without `null`. */
export function typesOf(schema: Schema): readonly string[] {
  return [schema['type']].flat().filter((type): type is string => typeof type === 'string' && type !== 'null')
}

/** The OpenAPI document of an operation. References in its schemas are relative to this document. */
export function documentOf(operation: Pick<Operation, 'interface'>): OpenApi {
  return contracts[operation.interface].openapi.full
}

/** The flattened schema of an operation's JSON body; undefined if it has no JSON body. */
export function jsonBodySchema(operation: Operation): Schema | undefined {
  const schema = operation.requestBody?.content['application/json']
  return schema && flatten(schema, documentOf(operation))
}
