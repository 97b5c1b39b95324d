import {
  contracts,
  type OpenApi,
  type Operation,
  operations,
  type Parameter,
  plainSchema,
  type Resolve,
  type Schema,
} from '@cdn/api/contract'
import { parseJson, toInteger } from '@cdn/kit/json'
import { kebabCase } from '@cdn/kit/letter-case'
import { followReference } from '@cdn/kit/reference'
import { fieldsOf, itemsOf } from '@cdn/kit/resources'
import type { Option } from '@commander-js/extra-typings'
import { choice, id, idOrName, instant, int64, integer, text, type ValueType } from '../program/value-type.ts'

export function resolverOf(api: OpenApi): Resolve {
  return (schema) => followReference(api, schema)
}

/** A schema without `$ref` and `allOf` at its top. A choice of several alternatives besides null stays. */
export function flatten(schema: Schema, api: OpenApi): Schema {
  return plainSchema(schema, resolverOf(api))
}

/** The JSON types of a schema, without `null`. */
export function typesOf(schema: Schema): readonly string[] {
  return [schema['type']].flat().filter((type): type is string => typeof type === 'string' && type !== 'null')
}

/** The OpenAPI document of an operation. References in its schemas are relative to this document. */
export function documentOf(operation: Pick<Operation, 'interface'>): OpenApi {
  return contracts[operation.interface].openapi.full
}

/** Whether an operation is a list in pages, as `paginate` of `@cdn/api` reads them. */
export function isPaged({ parameters = [] }: Partial<Pick<Operation, 'parameters'>>): boolean {
  return ['page', 'perPage'].every((name) => parameters.some((known) => known.in === 'query' && known.name === name))
}

/** The fields of the items of a list, in the order of the contract; none if the contract does not state them. */
export function itemFields(operation: Pick<Operation, 'interface' | 'responses'>): string[] {
  const follow = (node: unknown) => followReference<unknown>(documentOf(operation), node)
  const success = operation.responses.find(({ status }) => status.startsWith('2'))
  return Object.keys(fieldsOf(itemsOf(success?.content['application/json'], follow), follow))
}

/**
 * Finds the list in which a path parameter can be looked up by name: `/pullzone` for `/pullzone/{id}`, and by the parameter's name for
 * `/v2/pullzones/{pullZoneId}/logs`. The contract must state an id and a name of its items.
 */
export function namedList(operation: Pick<Operation, 'interface' | 'path'>, parameter: string): Operation | undefined {
  const before = operation.path.slice(0, operation.path.indexOf(`/{${parameter}}`))
  const noun = kebabCase(parameter).replace(/-id$/, '')
  return operations.find((list) => {
    const isOwner = list.interface === operation.interface && list.path === before
    return (isOwner || list.name === `list-${noun}s`) && hasNames(list)
  })
}

/** Whether an operation lists resources of the account that have an id and a name. */
export function hasNames(list: Pick<Operation, 'interface' | 'path' | 'responses'>): boolean {
  const fields = itemFields(list)
  return !list.path.includes('{') && fields.includes('Id') && fields.includes('Name')
}

/** What a list contains: `pull zone` for `list-pull-zones`. */
export function nounOf({ name }: Pick<Operation, 'name'>): string {
  return singular(name.replace(/^list-/, '')).replaceAll('-', ' ')
}

/** The singular of a name in kebab-case. */
export function singular(words: string): string {
  return words.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '')
}

/** Whether a header carries a credential. The client sets such a header, so users cannot. */
export function isCredential(header: string): boolean {
  const headers = Object.values(contracts).flatMap(({ schemes }) =>
    schemes.map((scheme) => scheme.header.toLowerCase()),
  )
  return [...headers, 'authorization', 'cookie', 'proxy-authorization'].includes(header.toLowerCase())
}

/** The flattened schema of an operation's JSON body; undefined if it has no JSON body. */
export function jsonBodySchema(operation: Operation): Schema | undefined {
  const schema = operation.requestBody?.content['application/json']
  return schema && flatten(schema, documentOf(operation))
}

/**
 * How to read the successful response of an operation. Prefers JSON over text, like the client's Accept header. Other
 * responses may have any size, so they are streamed.
 *
 * @returns how to parse the response, and whether all stated media types are binary
 */
export function acceptOf({ responses }: Pick<Operation, 'responses'>) {
  const types = responses.filter(({ status }) => status.startsWith('2')).flatMap(({ content }) => Object.keys(content))
  const json = types.find((type) => /[/+]json\b/.test(type))
  const isStream = json === undefined && types.length > 0
  return {
    parseAs: isStream ? ('stream' as const) : ('json' as const),
    isBinary: isStream && !types.some((type) => type.startsWith('text/')),
  }
}

/** The place of an option value in the request. */
export interface OptionTarget {
  readonly place: 'query' | 'header' | 'body'
  readonly name: string
}

/** An option of an operation's command whose value goes into the request. */
export interface RequestOption {
  readonly option: Option
  readonly target: OptionTarget
}

/**
 * Describes the option of a parameter or of a body field.
 *
 * @returns the type of its values, and whether the schema is a list, so that the option may be repeated
 */
export function optionTypeOf(schema: Schema, api: OpenApi) {
  const flat = flatten(schema, api)
  if (typesOf(flat).includes('array')) return { value: typeOf(flatten(flat.items ?? {}, api), api), isList: true }
  return { value: typeOf(flat, api), isList: false }
}

/** The type of the argument of a path parameter. An integer whose name ends in `id` identifies a resource, perhaps by its name. */
export function pathTypeOf(operation: Operation, { name, schema }: Parameter): ValueType<unknown> {
  const api = documentOf(operation)
  if (!/id$/i.test(name) || !typesOf(flatten(schema, api)).includes('integer')) return optionTypeOf(schema, api).value
  const list = namedList(operation, name)
  return list ? idOrName(nounOf(list), list.path) : id
}

function typeOf(schema: Schema, api: OpenApi): ValueType<unknown> {
  const values = valuesOf(schema, api)
  if (values) return enumeration(values.filter((value) => value !== null))
  const alternatives = alternativesOf(schema, api).filter((part) => part['type'] !== 'null')
  if (alternatives.length > 1) return jsonOrText
  const types = typesOf(schema)
  if (types.includes('integer')) return schema['format'] === 'int32' ? int32 : int64
  if (types.includes('number')) return number
  if (types.includes('boolean')) return boolean
  if (types.includes('object') || types.includes('array')) return json
  return schema['format'] === 'date-time'
    ? { ...instant, parse: (value) => instant.parse(value)?.(new Date()).toISOString() }
    : text
}

function enumeration(values: readonly unknown[]): ValueType<unknown> {
  const spelled = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
  return { ...choice(...spelled), parse: (given) => values[spelled.indexOf(given)] }
}

const number: ValueType<number | bigint> = {
  placeholder: 'number',
  must: 'a number',
  parse: (value) => {
    if (/^-?\d+$/.test(value)) return toInteger(value)
    return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? Number(value) : undefined
  },
}

/** `true` or `false`. An option without a value means true. */
export const boolean: ValueType<boolean> = {
  placeholder: 'true|false',
  must: 'true or false',
  parse: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
  choices: ['true', 'false'],
}

const int32: ValueType<number> = { ...integer(-(2 ** 31), 2 ** 31 - 1), must: 'a 32-bit integer' }

/** The values that a schema lists, itself or in all of its alternatives; undefined if it permits other values. */
function valuesOf(schema: Schema, api: OpenApi): readonly unknown[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum']
  if (schema['const'] !== undefined) return [schema['const']]
  if (schema['type'] === 'null') return [null]
  const lists = alternativesOf(schema, api).map((part) => valuesOf(part, api) ?? 'any')
  return lists.length === 0 || lists.includes('any') ? undefined : lists.flat()
}

function alternativesOf(schema: Schema, api: OpenApi): readonly Schema[] {
  return (schema.oneOf ?? schema.anyOf ?? []).map((part) => flatten(part, api))
}

const json: ValueType<unknown> = {
  placeholder: 'json',
  must: 'a JSON value',
  parse: (given) => {
    try {
      return parseJson(given)
    } catch {
      return undefined
    }
  },
}

const jsonOrText: ValueType<unknown> = {
  placeholder: 'value',
  must: 'a JSON value, or text',
  parse: (given) => json.parse(given) ?? given,
}
