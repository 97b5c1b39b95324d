import { contracts, type Operation, type Parameter, type Schema } from '@cdn/api/contract'
import { followReference } from '@cdn/kit/reference'
import type { Request } from './call.ts'

/** Follows the `$ref` of a schema; returns other schemas unchanged. */
export type Resolve = (schema: Schema) => Schema

/** Text for each format of JSON Schema and OpenAPI. Any other format becomes plain text. */
const texts: Readonly<Record<string, string>> = {
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

/** Maximum depth of a value, deeper than any schema of a contract requires. */
const maxDepth = 12

/**
 * Makes the smallest value that a schema accepts: its `const`, `example` or `default`, otherwise required properties
 * only. It does not support a `pattern` without an example.
 *
 * @param schema the schema from the contract
 * @param resolve follows a `$ref`
 */
export function schemaExample(schema: Schema, resolve: Resolve, depth = 0): unknown {
  if (depth > maxDepth) return null
  const below = (inner: unknown) => schemaExample((inner ?? {}) as Schema, resolve, depth + 1)
  if (typeof schema['$ref'] === 'string') return below(resolve(schema))
  const { const: only, enum: values, examples } = schema as { const?: unknown; enum?: unknown[]; examples?: unknown }
  for (const given of [only, schema['example'], listed(examples), schema['default'], values?.[0]])
    if (given !== undefined) return given
  const [choice] = (schema['oneOf'] ?? schema['anyOf'] ?? []) as Schema[]
  if (choice) return below(mergeSchemas({ ...schema, oneOf: undefined, anyOf: undefined }, resolve(choice)))
  const parts = (schema['allOf'] ?? []) as Schema[]
  if (parts.length > 0) return [{ ...schema, allOf: undefined }, ...parts].map(below).reduce(mergeValues)
  return plainValue(schema, below)
}

function plainValue(schema: Schema, below: (schema: unknown) => unknown): unknown {
  switch ([schema['type']].flat().find((type) => type !== 'null') ?? impliedType(schema)) {
    case 'object': {
      const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>
      const required = (schema['required'] ?? []) as string[]
      const fewest = Math.max(required.length, Number(schema['minProperties'] ?? 0))
      const names = [...new Set([...required, ...Object.keys(properties)])].slice(0, fewest)
      return Object.fromEntries(names.map((name) => [name, below(properties[name])]))
    }
    case 'array':
      return Array.from({ length: Number(schema['minItems'] ?? 0) }, () => below(schema['items']))
    case 'integer':
    case 'number':
      return smallest(schema)
    case 'boolean':
      return false
    case 'string':
      return text(schema)
    default:
      return schema['type'] === 'null' ? null : undefined
  }
}

function impliedType(schema: Schema): string | undefined {
  if (schema['properties']) return 'object'
  return schema['items'] ? 'array' : undefined
}

function smallest(schema: Schema): number {
  const { minimum, exclusiveMinimum, maximum } = schema as Record<string, number | undefined>
  const least = minimum ?? (exclusiveMinimum === undefined ? Math.min(1, maximum ?? 1) : exclusiveMinimum + 1)
  const step = Number(schema['multipleOf'] ?? 0)
  return step > 0 ? Math.ceil(least / step) * step : least
}

function text(schema: Schema): string {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema as Record<string, number | undefined>
  return (texts[String(schema['format'])] ?? 'mock.conformance.invalid').padEnd(minLength, 'x').slice(0, maxLength)
}

/** In a schema `examples` is a list. */
function listed(examples: unknown): unknown {
  return Array.isArray(examples) ? examples[0] : undefined
}

/**
 * A choice adds to the rest of its schema: `anyOf: [{ required: [a] }]` requires a property that the rest describes.
 */
function mergeSchemas(schema: Schema, choice: Schema): Schema {
  return {
    ...schema,
    ...choice,
    ...((schema['properties'] ?? choice['properties']) !== undefined && {
      properties: { ...(schema['properties'] as object), ...(choice['properties'] as object) },
    }),
    required: [schema['required'] ?? [], choice['required'] ?? []].flat(),
  }
}

function mergeValues(left: unknown, right: unknown): unknown {
  const areObjects = [left, right].every((value) => typeof value === 'object' && value && !Array.isArray(value))
  return areObjects ? { ...(left as object), ...(right as object) } : (right ?? left)
}

/** Follows references into the full contract of an operation's interface. */
export function resolverOf(operation: Operation): Resolve {
  const { full } = contracts[operation.interface].openapi
  return (schema) => followReference(full, schema)
}

/**
 * A parameter's value by its schema, as text. A list has at least one value, because an empty list cannot be sent. A
 * path segment has no slash.
 */
export function parameterExample({ in: place, schema }: Parameter, resolve: Resolve): string {
  const items = schema['type'] === 'array' ? ((schema['items'] ?? {}) as Schema) : schema
  const value = String(schemaExample(items, resolve) ?? '1')
  return place === 'path' ? value.replaceAll('/', '-') : value
}

/** The required query parameters of an operation. */
export function requiredQuery(operation: Operation): NonNullable<Request['query']> {
  const resolve = resolverOf(operation)
  const required = operation.parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  return Object.fromEntries(required.map((parameter) => [parameter.name, parameterExample(parameter, resolve)]))
}
