/** Creates values that a JSON Schema accepts: for examples, for requests of tests, and for fields that a server has no value for. */
import { nextMultiple } from '@cdn/kit/decimal'
import type { Parameter, Schema } from './model.ts'

/** Follows the `$ref` of a schema; returns other schemas unchanged. */
export type Resolve = (schema: Schema) => Schema

/** Values for the parts of a sample that the schema leaves open. */
export interface SampleStyle {
  /** Host of hostnames, URLs and email addresses. */
  readonly host: string
  /** Value of the formats `date-time` and `date`. */
  readonly now: Date
  /** Returns a text for a schema without a known format. */
  text(name: string): string
  /**
   * Whether a sample is a whole item with no values set: it has all properties of objects. Each has the schema's default value, or
   * null, 0 or the result of `text`, if the schema permits it. By default, a sample has the required properties only, and the values
   * that the schema gives as examples.
   */
  readonly isBlank?: boolean
}

/** Maximum depth of a value, references and choices included. A deeper schema refers to itself. */
const maxDepth = 12
/** Objects of a blank sample below this depth have their required properties only. */
const maxBlankDepth = 8

const formats: Readonly<Record<string, (style: SampleStyle) => string>> = {
  'date-time': ({ now }) => now.toISOString(),
  date: ({ now }) => now.toISOString().slice(0, 10),
  time: () => '00:00:00Z',
  duration: () => 'P1D',
  email: ({ host }) => `user@${host}`,
  hostname: ({ host }) => host,
  ipv4: () => '192.0.2.1',
  ipv6: () => '2001:db8::1',
  uri: ({ host }) => `https://${host}/`,
  'uri-reference': () => '/',
  uuid: () => '00000000-0000-4000-8000-000000000000',
  byte: () => 'AAAA',
}

/** Whether samples honour a `format`. */
export function isKnownFormat(format: string): boolean {
  return Object.hasOwn(formats, format)
}

/**
 * Makes a small value that a schema accepts. It honours `const`, `enum`, `default`, `example`, `allOf`, `format`, and the limits of
 * numbers, lengths, lists and properties. It takes the first schema of a choice. It ignores `pattern`, because the lint rule
 * `contract/pattern-example` requires an example of each pattern.
 *
 * @param name name of the value, which may decide about its text
 * @returns the value; undefined if the schema states neither a type nor a value (null for a blank sample)
 */
export function sampleOf(schema: Schema, resolve: Resolve, style: SampleStyle, name = '', depth = 0): unknown {
  if (depth > maxDepth) return null
  const below = (inner: Schema = {}, at = name) => sampleOf(inner, resolve, style, at, depth + 1)
  if (schema.$ref !== undefined) return below(resolve(schema))
  const { const: only, enum: values, examples, default: initial, example } = schema
  const isNullable = schema['nullable'] === true || [schema.type].flat().includes('null')
  const { pattern } = schema
  const shown = style.isBlank
    ? [only, initial, isNullable ? null : undefined, pattern === undefined ? undefined : example]
    : [only, example, [examples].flat()[0], initial]
  const given = [...shown, values?.[0]].find((value) => value !== undefined)
  if (given !== undefined) return given
  const { [schema.oneOf ? 'oneOf' : 'anyOf']: choices, ...unchosen } = schema
  if (choices?.[0]) return below(mergeSchemas(unchosen, resolve(choices[0])))
  const { allOf, ...own } = schema
  if (allOf?.length) return below(allOf.map(resolve).reduce(mergeSchemas, own))
  return plainValue(schema, style, name, depth, below)
}

/** Makes a value of a parameter. For a list, it is one element, because an empty list cannot be sent. In a path, it has no slash. */
export function sampleParameter({ in: place, name, schema }: Parameter, resolve: Resolve, style: SampleStyle): unknown {
  const { type, items = {} } = resolve(schema)
  const value = sampleOf([type].flat().includes('array') ? items : schema, resolve, style, name) ?? style.text(name)
  return place === 'path' && typeof value === 'string' ? value.replaceAll('/', '-') : value
}

type Below = (schema: Schema | undefined, name?: string) => unknown

function plainValue(schema: Schema, style: SampleStyle, name: string, depth: number, below: Below): unknown {
  const { type, properties, items, minItems = 0 } = schema
  switch ([type].flat().find((one) => one !== 'null') ?? (properties ? 'object' : items && 'array')) {
    case 'object': {
      // A part without a type takes any value.
      const sampleAt = (part: string, value = below(properties?.[part], part)) =>
        value === undefined ? style.text(part) : value
      return Object.fromEntries(
        namesIn(schema, style.isBlank === true && depth <= maxBlankDepth).map((part) => [part, sampleAt(part)]),
      )
    }
    case 'array':
      return Array.from({ length: minItems }, () => below(items))
    case 'integer':
    case 'number':
      return smallest(schema, style.isBlank ? 0 : 1)
    case 'boolean':
      return false
    case 'string':
      return textOf(schema, style, name)
    default:
      return type === 'null' || style.isBlank ? null : undefined
  }
}

function namesIn({ properties = {}, required = [], minProperties = 0 }: Schema, isWhole: boolean): string[] {
  const names = [...new Set([...required, ...Object.keys(properties)])]
  return isWhole ? names : names.slice(0, Math.max(new Set(required).size, minProperties))
}

function smallest(schema: Schema, usual: number): number {
  const { minimum, exclusiveMinimum, maximum = usual, multipleOf = 0 } = schema
  const least = minimum ?? (exclusiveMinimum === undefined ? Math.min(usual, maximum) : exclusiveMinimum + 1)
  return multipleOf > 0 ? nextMultiple(least, multipleOf) : least
}

function textOf({ format = '', minLength = 0, maxLength }: Schema, style: SampleStyle, name: string): string {
  const usual = isKnownFormat(format) ? formats[format]?.(style) : style.text(name)
  return (usual ?? '').padEnd(minLength, 'x').slice(0, maxLength)
}

/**
 * Merges a schema with a part of its `allOf`, or with one of its choices, which may depend on the rest of the schema:
 * `anyOf: [{ required: [a] }]` requires a property that the rest describes. If both describe properties, the result has no example
 * and no default, because the example of each part lacks the properties of the other part.
 */
function mergeSchemas(one: Schema, other: Schema): Schema {
  const properties = new Map(Object.entries(one.properties ?? {}))
  for (const [name, schema] of Object.entries(other.properties ?? {})) {
    const known = properties.get(name)
    properties.set(name, known ? { allOf: [known, schema] } : schema)
  }
  const required = [...new Set([...(one.required ?? []), ...(other.required ?? [])])]
  // A schema has one `oneOf` and one `anyOf`, so the choices of `one` move below `allOf` if `other` has such choices, too.
  const choices = (['oneOf', 'anyOf'] as const).flatMap((key) => (one[key] && other[key] ? [{ [key]: one[key] }] : []))
  const allOf = [...(one.allOf ?? []), ...(other.allOf ?? []), ...choices]
  const whole = one.properties && other.properties && { example: undefined, examples: undefined, default: undefined }
  const merged = { ...one, ...other, ...whole, required, ...(allOf.length > 0 && { allOf }) }
  return properties.size > 0 ? { ...merged, properties: Object.fromEntries(properties) } : merged
}

/**
 * Merges a schema with its reference and the parts of `allOf`, and with a choice that has a single alternative besides null. Other
 * choices stay.
 */
export function plainSchema(schema: Schema, resolve: Resolve): Schema {
  const { $ref, allOf = [], ...own } = schema
  const parts = $ref === undefined ? allOf : [...allOf, resolve(schema)]
  const merged = [...parts.map((part) => plainSchema(part, resolve)), own].reduce(mergeSchemas)
  const { oneOf, anyOf, ...rest } = merged
  const all = oneOf ?? anyOf ?? []
  const [only, ...others] = all.filter((part) => resolve(part).type !== 'null')
  if (!only || others.length > 0) return merged
  const chosen = mergeSchemas(plainSchema(only, resolve), rest)
  return all.length === 1 ? chosen : orNull(chosen)
}

function orNull(schema: Schema): Schema {
  const { type, enum: values } = schema
  return { ...schema, ...(type && { type: ['null', type].flat() }), ...(values && { enum: [...values, null] }) }
}
