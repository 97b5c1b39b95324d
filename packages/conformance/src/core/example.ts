import { contracts, type Operation, type Parameter, type Schema } from '@cdn/api/contract'
import { followReference } from '@cdn/kit/reference'
import { sample, stringMatching } from 'fast-check'
import type { Request } from './call.ts'

/** Follows the `$ref` of a schema; returns other schemas unchanged. */
export type Resolve = (schema: Schema) => Schema

/** Text for each format of JSON Schema and OpenAPI. Any other format becomes plain text. */
export const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-01T00:00:00Z',
  date: '2026-01-01',
  time: '00:00:00Z',
  duration: 'P1D',
  email: 'user@conformance.invalid',
  hostname: 'mock.conformance.invalid',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://mock.conformance.invalid/',
  'uri-reference': '/',
  uuid: '00000000-0000-4000-8000-000000000000',
  byte: 'AAAA',
}

/** Maximum depth of a value. No schema of a contract requires this depth. */
const maxDepth = 12

/**
 * Makes the smallest value that a schema accepts: its `const`, `example` or `default`, otherwise a value with only the
 * required properties. A `pattern` is matched if fast-check can generate its texts: without lookaheads, for example.
 *
 * @param schema the schema from the contract
 * @param resolve follows a `$ref`
 */
export function schemaExample(schema: Schema, resolve: Resolve, depth = 0): unknown {
  if (depth > maxDepth) return null
  const below = (inner: Schema = {}) => schemaExample(inner, resolve, depth + 1)
  if (schema.$ref !== undefined) return below(resolve(schema))
  const { const: only, enum: values, examples } = schema
  for (const given of [only, schema['example'], [examples].flat()[0], schema['default'], values?.[0]])
    if (given !== undefined) return given
  const { [schema.oneOf ? 'oneOf' : 'anyOf']: choices, ...unchosen } = schema
  if (choices?.[0]) return below(mergeSchemas(unchosen, resolve(choices[0])))
  const { allOf, ...own } = schema
  if (allOf?.length) return below(allOf.map(resolve).reduce(mergeSchemas, own))
  return plainValue(schema, below)
}

function plainValue(schema: Schema, below: (schema: Schema | undefined) => unknown): unknown {
  const { type, properties = {}, required = [], minProperties = 0, minItems = 0 } = schema
  switch ([type].flat().find((one) => one !== 'null') ?? (schema.properties ? 'object' : schema.items && 'array')) {
    case 'object': {
      const names = [...new Set([...required, ...Object.keys(properties)])]
      const count = Math.max(required.length, minProperties)
      return Object.fromEntries(names.slice(0, count).map((name) => [name, below(properties[name])]))
    }
    case 'array':
      return Array.from({ length: minItems }, () => below(schema.items))
    case 'integer':
    case 'number':
      return smallest(schema)
    case 'boolean':
      return false
    case 'string':
      return text(schema)
    default:
      return type === 'null' ? null : undefined
  }
}

function smallest({ minimum, exclusiveMinimum, maximum, multipleOf = 0 }: Schema): number {
  const least = minimum ?? (exclusiveMinimum === undefined ? Math.min(1, maximum ?? 1) : exclusiveMinimum + 1)
  return multipleOf > 0 ? Math.ceil(least / multipleOf) * multipleOf : least
}

/** A text has at most 1,000 characters, whatever its pattern allows. */
function text({ format, pattern = '', minLength = 0, maxLength = 1000 }: Schema): string {
  const plain = (formats[String(format)] ?? 'mock.conformance.invalid').padEnd(minLength, 'x').slice(0, maxLength)
  try {
    const expression = new RegExp(String(pattern), 'u')
    if (expression.test(plain)) return plain
    const texts = sample(stringMatching(expression, { maxLength }), { seed: 1, numRuns: 20 })
    return texts.find((one) => one.length >= minLength) ?? plain
  } catch {
    return plain // not an expression of JavaScript, or one that fast-check does not support
  }
}

/**
 * Merges a schema with a part of its `allOf`, or with one of its choices, which may depend on the rest of the schema:
 * `anyOf: [{ required: [a] }]` requires a property that the rest describes. If both describe properties, neither has an example
 * of the whole.
 */
export function mergeSchemas(one: Schema, other: Schema): Schema {
  const properties = new Map(Object.entries(one.properties ?? {}))
  for (const [name, schema] of Object.entries(other.properties ?? {})) {
    const known = properties.get(name)
    properties.set(name, known ? { allOf: [known, schema] } : schema)
  }
  const required = [...new Set([...(one.required ?? []), ...(other.required ?? [])])]
  // A schema has one `oneOf` and one `anyOf`; those of another part move below `allOf`.
  const choices = (['oneOf', 'anyOf'] as const).flatMap((key) => (one[key] && other[key] ? [{ [key]: one[key] }] : []))
  const allOf = [...(one.allOf ?? []), ...(other.allOf ?? []), ...choices]
  const whole = one.properties && other.properties && { example: undefined, examples: undefined, default: undefined }
  const merged = { ...one, ...other, ...whole, required, ...(allOf.length > 0 && { allOf }) }
  return properties.size > 0 ? { ...merged, properties: Object.fromEntries(properties) } : merged
}

/** Follows references into the full contract of an operation's interface. */
export function resolverOf(operation: Operation): Resolve {
  const { full } = contracts[operation.interface].openapi
  return (schema) => followReference(full, schema)
}

/**
 * Returns a parameter's value according to its schema, as text. For a list, returns one element, because an empty list
 * cannot be sent. The value of a path parameter has no slash.
 */
export function parameterExample({ in: place, schema }: Parameter, resolve: Resolve): string {
  const items = schema.type === 'array' ? (schema.items ?? {}) : schema
  const value = String(schemaExample(items, resolve) ?? '1')
  return place === 'path' ? value.replaceAll('/', '-') : value
}

/** Returns example values for the required query parameters of an operation. */
export function requiredQuery(operation: Operation): NonNullable<Request['query']> {
  const resolve = resolverOf(operation)
  const required = operation.parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  return Object.fromEntries(required.map((parameter) => [parameter.name, parameterExample(parameter, resolve)]))
}
