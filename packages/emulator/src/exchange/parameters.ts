import { contracts, type Operation, type Parameter, plainSchema, type Schema } from '@cdn/api/contract'
import { memoize } from '@cdn/kit/memoize'
import { decodePercent } from '@cdn/kit/percent'
import { followReference } from '@cdn/kit/reference'
import { formOf, toNumbers, validatorOf } from '../contract/validation.ts'
import type { Variants } from '../variants/variants.ts'

/** The value of a parameter: int64 as bigint, other integers as number, an array as a list. */
export type ParameterValue = Scalar | readonly Scalar[]
type Scalar = string | number | bigint | boolean

/** Parameter values by name, with the contract's defaults for missing ones, and one sentence per invalid parameter. */
export interface ReadParameters {
  readonly values: Readonly<Record<string, ParameterValue | undefined>>
  readonly problems: readonly string[]
}

/**
 * Reads the path parameters of an operation.
 *
 * @param raw as sent, percent-encoded
 */
export function readPathParameters(operation: Operation, raw: Readonly<Record<string, string>>): ReadParameters {
  return read(parametersOf(operation).path, ({ name }) => {
    const text = raw[name]
    return text === undefined ? [] : [decodePercent(text)]
  })
}

/**
 * Reads the query parameters of an operation.
 *
 * @param query as sent, without the question mark
 */
export function readQueryParameters(operation: Operation, query: string, variants: Variants): ReadParameters {
  const stated = parametersOf(operation).query
  const given = query === '' ? [] : [...new URLSearchParams(query)]
  const fold = (name: string) => (variants.parameterCase === 'ignored' ? name.toLowerCase() : name)
  const { values, problems } = read(stated, ({ name, schema }) => {
    const all = given
      .filter(([key, text]) => fold(key) === fold(name) && (text !== '' || variants.emptyParameter === 'refused'))
      .map(([, text]) => relax(text, name, schema, variants))
    return variants.repeatedParameter === 'first wins' && !hasType(schema, 'array') ? all.slice(0, 1) : all
  })
  const isKnown = (key: string) => stated.some(({ name }) => fold(name) === fold(key))
  const unknown = variants.unknownParameter === 'refused' && given.some(([key]) => !isKnown(key))
  return { values, problems: unknown ? [...problems, 'A query parameter is unknown.'] : problems }
}

/** Returns the parameters of an operation by place, each with its schema without references, its default and its validator. */
const parametersOf = memoize((operation: Operation) => {
  const api = contracts[operation.interface].openapi.full
  const plain = (schema: Schema) => plainSchema(schema, (node) => followReference(api, node))
  const inPlace = (place: Parameter['in']) =>
    operation.parameters
      .filter((parameter) => parameter.in === place)
      .map((parameter) => {
        const schema = plain(parameter.schema)
        const isList = hasType(schema, 'array')
        const each = isList ? plain(schema.items ?? {}) : schema
        const validate = validatorOf<ParameterValue>(parameter.schema, api)
        return { ...parameter, schema, isList, each, fallback: defaultOf(schema), validate }
      })
  return { path: inPlace('path'), query: inPlace('query') }
})

function read(
  parameters: ReturnType<typeof parametersOf>['path'],
  find: (parameter: Parameter) => (string | undefined)[],
): ReadParameters {
  const values: Record<string, ParameterValue | undefined> = {}
  const problems: string[] = []
  for (const parameter of parameters) {
    const { name, schema, isList, each, fallback, validate } = parameter
    const texts = find(parameter)
    if (texts.length === 0) {
      if (parameter.required) problems.push(`The parameter ${name} is missing.`)
      values[name] = fallback
    } else if (texts.length > 1 && !isList) {
      problems.push(`The parameter ${name} is given more than once.`)
    } else {
      // The query repeats a list parameter for each value (OpenAPI's style `form`, exploded).
      const all = texts.map((text) => coerce(text, each))
      const value = isList ? all : all[0]
      if (!all.includes(undefined) && validate(toNumbers(value))) values[name] = value as ParameterValue
      else problems.push(`The parameter ${name} takes ${formOf(schema)}.`)
    }
  }
  return { values, problems }
}

/** A date, or a date and time, without a time zone. */
const withoutZone = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?)?$/

/** Converts a value to the form of the contract, if the variants describe a lenient server that accepts the value. */
function relax(text: string, name: string, schema: Parameter['schema'], variants: Variants): string {
  if (schema['format'] === 'date-time' && variants.dateWithoutZone === 'UTC' && withoutZone.test(text)) {
    const [day, time = '00:00'] = text.split('T')
    return `${day}T${/^\d\d:\d\d$/.test(time) ? `${time}:00` : time}Z`
  }
  if (name === 'limit' && variants.limitTooLarge === 'lowered' && Number(text) > Number(schema['maximum']))
    return String(schema['maximum'])
  return text
}

function defaultOf(schema: Parameter['schema']): ParameterValue | undefined {
  // A default has the type of its parameter.
  const value = schema['default'] as ParameterValue | undefined
  return typeof value === 'number' && schema['format'] === 'int64' ? BigInt(value) : value
}

/** Converts text to the schema's type; returns undefined if the text does not match. */
function coerce(text: string | undefined, schema: Parameter['schema']): Scalar | undefined {
  if (text === undefined) return undefined
  if (hasType(schema, 'integer')) {
    if (!/^-?\d{1,19}$/.test(text)) return undefined
    const value = BigInt(text)
    if (schema.format === 'int64') return BigInt.asIntN(64, value) === value ? value : undefined
    return BigInt.asIntN(32, value) === value ? Number(value) : undefined
  }
  if (hasType(schema, 'number'))
    return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined
  if (hasType(schema, 'boolean')) return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined
  return text
}

function hasType({ type }: Parameter['schema'], name: string): boolean {
  return type === name || (Array.isArray(type) && type.includes(name))
}
