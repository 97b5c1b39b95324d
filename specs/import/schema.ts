import { isObject, type Json } from './json.ts'

/** Keys whose members are called by names of the author's choice: a property `x-id` is no extension. */
const maps = new Set(['properties', 'patternProperties', '$defs', 'schemas', 'dependentSchemas'])
/** Keys whose values are data and no schema. */
const data = new Set(['enum', 'const', 'default', 'example', 'examples', 'required', 'type'])

/**
 * Brings a schema, and all below it, into OpenAPI 3.1 and into what this contract knows: `nullable` becomes a type, exclusive
 * bounds become numbers, `example` becomes `examples`, and foreign `x-` keys go.
 *
 * @param node a schema of OpenAPI 3.0 or 3.1
 * @param rename gives the new form of a reference
 */
export function toOwnSchema(node: unknown, rename: (reference: string) => string): unknown {
  if (Array.isArray(node)) return node.map((member) => toOwnSchema(member, rename))
  if (!isObject(node)) return node
  const entries = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
    if (key.startsWith('x-') || key === 'nullable' || key === 'xml' || key === 'externalDocs') return []
    if (key === '$ref') return [[key, rename(String(value))]]
    if (key === 'discriminator') return []
    if (key === 'example') return [['examples', [value]]]
    if (data.has(key)) return [[key, value]]
    if (maps.has(key) && isObject(value))
      return [
        [key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toOwnSchema(inner, rename)]))],
      ]
    return [[key, toOwnSchema(value, rename)]]
  })
  const schema = withNumericBounds(Object.fromEntries(entries))
  return node['nullable'] === true ? orNull(schema) : schema
}

function withNumericBounds(schema: Record<string, unknown>): Record<string, unknown> {
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue
    if (schema[exclusive]) {
      schema[exclusive] = schema[bound]
      delete schema[bound]
    } else delete schema[exclusive]
  }
  return schema
}

function orNull(schema: Json): Json {
  const { type, enum: values } = schema
  if (type === undefined) return { anyOf: [schema, { type: 'null' }] }
  return {
    ...schema,
    type: [...new Set([type, 'null'].flat())],
    ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }),
  }
}
