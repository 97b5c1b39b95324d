import { contracts, type OpenApi, type Operation, type Parameter, type Schema } from '@cdn/api/contract'
import { boolean, choice, id, instant, int64, number, text, type ValueType } from '../command/value-type.ts'
import { parseExact } from './exact-json.ts'

/** A property of a request body, or a parameter, as an option takes it. */
export interface Field {
  readonly value: ValueType<unknown>
  /** The schema is a list: the option may be given more than once. */
  readonly isList: boolean
}

/**
 * Follows references and puts the parts of `allOf` together, as far as properties go.
 *
 * @param api the document that the references are relative to
 * @returns a schema without `$ref` and `allOf` at its top
 */
export function flatten(schema: Schema, api: OpenApi): Schema {
  const { $ref, allOf, ...own } = schema
  const parts = [
    ...(Array.isArray(allOf) ? (allOf as Schema[]) : []),
    ...(typeof $ref === 'string' ? [find($ref, api)] : []),
  ]
  return parts.map((part) => flatten(part, api)).reduce<Schema>(merge, own)
}

function merge(a: Schema, b: Schema): Schema {
  const required = [
    ...((a['required'] as string[] | undefined) ?? []),
    ...((b['required'] as string[] | undefined) ?? []),
  ]
  return { ...b, ...a, properties: { ...propertiesOf(b), ...propertiesOf(a) }, required }
}

export function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  return (schema['properties'] as Record<string, Schema> | undefined) ?? {}
}

/** @param reference a JSON pointer within the document: `#/components/schemas/Error` */
function find(reference: string, api: OpenApi): Schema {
  const keys = reference.replace(/^#\//, '').split('/')
  const found = keys.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')],
    api,
  )
  return (found ?? {}) as Schema
}

/** The schema of an operation's body, where it takes JSON. */
export function jsonBodySchema(operation: Operation): Schema | undefined {
  const schema = operation.requestBody?.content['application/json']
  return schema && flatten(schema, contracts[operation.interface].openapi.full)
}

/**
 * Says what an option takes for a schema.
 *
 * @param schema of a parameter or of a property of a body
 */
export function fieldOf(schema: Schema, api: OpenApi): Field {
  const flat = flatten(schema, api)
  const types = typesOf(flat)
  if (types.includes('array')) {
    const items = flatten((flat['items'] as Schema | undefined) ?? {}, api)
    const isSimple = typesOf(items).some((type) => ['string', 'integer', 'number', 'boolean'].includes(type))
    return { value: isSimple ? valueTypeOf(items) : json, isList: true }
  }
  return { value: valueTypeOf(flat), isList: false }
}

/**
 * Says what a parameter of a path may be: never what would make another path of it (`..`, a slash).
 *
 * @param name as the contract has it; one that ends in `id` names a resource
 */
export function pathValueOf({ name, schema }: Parameter, api: OpenApi): ValueType<unknown> {
  const value = valueTypeOf(flatten(schema, api), /id$/i.test(name))
  return { ...value, parse: (given, now) => (/^\.{0,2}$|[/\\]/.test(given) ? undefined : value.parse(given, now)) }
}

/** @param isId the parameter names a resource in a path */
function valueTypeOf(schema: Schema, isId = false): ValueType<unknown> {
  const allowed = schema['enum']
  if (Array.isArray(allowed) && allowed.every((value) => typeof value === 'string')) return choice(...allowed)
  const types = typesOf(schema)
  if (types.includes('integer')) return isId ? id : bounded(int64, schema, 'an integer')
  if (types.includes('number')) return bounded(number, schema, 'a number')
  if (types.includes('boolean')) return boolean
  if (types.includes('object') || types.includes('array')) return json
  return schema['format'] === 'date-time'
    ? { ...instant, parse: (value, now) => instant.parse(value, now)?.toISOString() }
    : bounded(text, schema, 'a text')
}

function typesOf(schema: Schema): readonly string[] {
  return [schema['type']].flat().filter((type): type is string => typeof type === 'string' && type !== 'null')
}

/** The bounds of a schema, in words and in force. */
function bounded<T extends string | number | bigint>(base: ValueType<T>, schema: Schema, noun: string): ValueType<T> {
  const isLength = 'minLength' in schema || 'maxLength' in schema
  const least = schema[isLength ? 'minLength' : 'minimum']
  const most = schema[isLength ? 'maxLength' : 'maximum']
  const bounds = [
    ...(typeof least === 'number' ? [`at least ${least}`] : []),
    ...(typeof most === 'number' ? [`at most ${most}`] : []),
  ].join(' and ')
  if (bounds === '') return base
  const sizeOf = (value: string | number | bigint) => (typeof value === 'string' ? [...value].length : value)
  const isWithin = (size: number | bigint) => !(size < Number(least ?? -Infinity)) && !(size > Number(most ?? Infinity))
  return {
    ...base,
    must: isLength ? `${noun}, its length ${bounds}` : `${noun}, ${bounds}`,
    parse: (value, now) => {
      const parsed = base.parse(value, now)
      return parsed !== undefined && isWithin(sizeOf(parsed)) ? parsed : undefined
    },
  }
}

const json: ValueType<unknown> = {
  placeholder: 'JSON',
  must: 'a JSON value',
  parse: (value) => {
    try {
      return parseExact(value)
    } catch {
      return undefined
    }
  },
}
