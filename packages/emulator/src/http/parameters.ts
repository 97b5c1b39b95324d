import { contracts, type Operation, type Parameter } from '@cdn/api/contract'
import type { Variants } from '../variants.ts'
import { validatorOf } from './ajv.ts'

/** A parameter by its schema's type: int64 as bigint, other numbers as number, an array as a list of these. */
export type ParameterValue = Scalar | readonly Scalar[]
type Scalar = string | number | bigint | boolean

/** Values by name, with the contract's defaults filled in, and one sentence for each that is wrong. */
export interface ReadParameters {
  readonly values: Readonly<Record<string, ParameterValue | undefined>>
  readonly problems: readonly string[]
}

/**
 * Path parameters by the contract.
 *
 * @param raw as sent, percent-encoded
 */
export function readPathParameters(operation: Operation, raw: Readonly<Record<string, string>>): ReadParameters {
  return read(operation, 'path', (name) => {
    const text = raw[name]
    return text === undefined ? [] : [decode(text)]
  })
}

/**
 * Query parameters by the contract.
 *
 * @param query as sent, without the question mark
 */
export function readQueryParameters(operation: Operation, query: string, variants: Variants): ReadParameters {
  const given = new URLSearchParams(query)
  const { values, problems } = read(operation, 'query', (name, isList) => {
    const all = given.getAll(name)
    return variants.repeatedParameter === 'first wins' && !isList ? all.slice(0, 1) : all
  })
  const known = new Set(operation.parameters.filter((p) => p.in === 'query').map((p) => p.name))
  const unknown = variants.unknownParameter === 'refused' && [...given.keys()].some((name) => !known.has(name))
  return { values, problems: unknown ? [...problems, 'A query parameter is unknown.'] : problems }
}

function read(
  operation: Operation,
  place: Parameter['in'],
  find: (name: string, isList: boolean) => (string | undefined)[],
): ReadParameters {
  const values: Record<string, ParameterValue | undefined> = {}
  const problems: string[] = []
  for (const parameter of operation.parameters) {
    if (parameter.in !== place) continue
    const { name, schema } = parameter
    const isList = schema['type'] === 'array'
    const found = find(name, isList)
    if (found.length === 0) {
      if (parameter.required) problems.push(`The parameter ${name} is missing.`)
      values[name] = defaultOf(schema)
    } else if (found.length > 1 && !isList) {
      problems.push(`The parameter ${name} is given more than once.`)
    } else {
      const value = isList ? coerceAll(found, schema) : coerceAll(found, { items: schema })?.[0]
      const judged = Array.isArray(value) ? value.map(toNumber) : toNumber(value)
      if (value !== undefined && validatorOf(schema, contracts[operation.interface].openapi.full)(judged))
        values[name] = value
      else problems.push(`The parameter ${name} is not valid.`)
    }
  }
  return { values, problems }
}

/** A parameter that is a list is sent as many times as it has values (OpenAPI's style `form`, exploded). */
function coerceAll(texts: readonly (string | undefined)[], schema: Parameter['schema']): Scalar[] | undefined {
  const items = (schema['items'] ?? {}) as Parameter['schema']
  const values = texts.map((text) => (text === undefined ? undefined : coerce(text, items)))
  return values.every((value) => value !== undefined) ? values : undefined
}

/** A validator knows no bigint. */
function toNumber(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value
}

function defaultOf(schema: Parameter['schema']): ParameterValue | undefined {
  const stated = schema['default'] as string | number | boolean | undefined
  return typeof stated === 'number' && schema['format'] === 'int64' ? BigInt(stated) : stated
}

/** The text as the schema's type, or undefined where it is not of that type. */
function coerce(text: string, schema: Parameter['schema']): Scalar | undefined {
  switch (schema['type']) {
    case 'integer': {
      if (!/^-?\d{1,19}$/.test(text)) return undefined
      const value = BigInt(text)
      if (schema['format'] === 'int64') return BigInt.asIntN(64, value) === value ? value : undefined
      return BigInt.asIntN(32, value) === value ? Number(value) : undefined
    }
    case 'boolean':
      return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined
    default:
      return text
  }
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
