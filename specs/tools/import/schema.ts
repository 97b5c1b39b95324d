import { isRecord } from '@cdn/kit/record'
import { type Json, listOf, mapValues } from './json.ts'

/** Keys of objects with arbitrary member names. In such an object, a member `x-id` is not an extension. */
const maps = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])
/** Keys whose values are data, not schemas. */
const data = new Set(['enum', 'const', 'default', 'examples', 'required', 'type'])
const annotations = new Set(['title', 'description', 'deprecated', 'readOnly', 'writeOnly', 'default', 'examples'])

/** Whether a key only explains a schema. */
export function isAnnotation(key: string): boolean {
  return annotations.has(key)
}

/** Callbacks: the new form of a reference, and a sentence about everything that is not imported. */
interface SchemaReading {
  rename(reference: string): string
  note(sentence: string): void
}

/**
 * Converts a schema and its parts to OpenAPI 3.1: `nullable` becomes a type, exclusive bounds become numbers,
 * `example` becomes `examples`, and foreign `x-` keys are removed.
 *
 * @param node a schema of OpenAPI 3.0 or 3.1
 */
export function toOwnSchema(node: unknown, reading: SchemaReading): unknown {
  const { rename } = reading
  if (Array.isArray(node)) return node.map((member) => toOwnSchema(member, reading))
  if (!isRecord(node)) return node
  const entries = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
    if (key.startsWith('x-') || key === 'nullable' || key === 'xml' || key === 'externalDocs') return []
    if (key === '$ref') return [[key, rename(String(value))]]
    if (key === 'discriminator') return isRecord(value) ? [[key, toDiscriminator(value, rename)]] : []
    if (key === 'example') return [['examples', [value]]]
    if (data.has(key)) return [[key, value]]
    if (maps.has(key) && isRecord(value)) return [[key, mapValues(value, (inner) => toOwnSchema(inner, reading))]]
    if (key === 'pattern' && !isPattern(value)) {
      reading.note(`The pattern ${JSON.stringify(value)} is not imported: JavaScript cannot read it.`)
      return []
    }
    return [[key, toOwnSchema(value, reading)]]
  })
  const schema = withNumericBounds(Object.fromEntries(entries))
  return node['nullable'] === true ? orNull(schema) : schema
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') !== undefined
  } catch {
    return false
  }
}

/** Converts a discriminator. Its mapping refers to schemas by reference or by plain name. */
function toDiscriminator({ propertyName, mapping }: Json, rename: (reference: string) => string): Json {
  const toReference = (value: unknown) => {
    const text = String(value)
    return rename(text.startsWith('#') ? text : `#/components/schemas/${text}`)
  }
  return { propertyName, ...(isRecord(mapping) && { mapping: mapValues(mapping, toReference) }) }
}

function withNumericBounds(schema: Record<string, unknown>): Record<string, unknown> {
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue
    if (schema[exclusive] && typeof schema[bound] === 'number') {
      schema[exclusive] = schema[bound]
      delete schema[bound]
    } else delete schema[exclusive]
  }
  return schema
}

/** Allows null in a schema. Annotations stay outside the choice, so a changed description does not change the alternatives. */
function orNull(schema: Json): Json {
  const { type, enum: values } = schema
  if (type === undefined) {
    const part = (outside: boolean) =>
      Object.fromEntries(Object.entries(schema).filter(([key]) => isAnnotation(key) === outside))
    return { ...part(true), anyOf: [part(false), { type: 'null' }] }
  }
  return {
    ...schema,
    type: [...new Set([type, 'null'].flat())],
    ...(Array.isArray(values) && !values.includes(null) && { enum: [...listOf(values), null] }),
  }
}
