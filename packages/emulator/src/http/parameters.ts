import { contracts, type Operation, type Parameter } from '@cdn/api/contract'
import type { Variants } from '../variants.ts'
import { validatorOf } from './ajv.ts'

/** A parameter by its schema's type: int64 as bigint, other numbers as number. */
export type ParameterValue = string | number | bigint | boolean

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
  const { values, problems } = read(operation, 'query', (name) => {
    const all = given.getAll(name)
    return variants.repeatedParameter === 'first wins' ? all.slice(0, 1) : all
  })
  const known = new Set(operation.parameters.filter((p) => p.in === 'query').map((p) => p.name))
  const unknown = variants.unknownParameter === 'refused' && [...given.keys()].some((name) => !known.has(name))
  return { values, problems: unknown ? [...problems, 'A query parameter is unknown.'] : problems }
}

function read(
  operation: Operation,
  place: Parameter['in'],
  find: (name: string) => (string | undefined)[],
): ReadParameters {
  const values: Record<string, ParameterValue | undefined> = {}
  const problems: string[] = []
  for (const parameter of operation.parameters) {
    if (parameter.in !== place) continue
    const { name, schema } = parameter
    const found = find(name)
    if (found.length === 0) {
      if (parameter.required) problems.push(`The parameter ${name} is missing.`)
      values[name] = defaultOf(schema)
    } else if (found.length > 1) {
      problems.push(`The parameter ${name} is given more than once.`)
    } else {
      const value = found[0] === undefined ? undefined : coerce(found[0], schema)
      const judged = typeof value === 'bigint' ? Number(value) : value
      if (value !== undefined && validatorOf(schema, contracts[operation.interface].openapi.full)(judged))
        values[name] = value
      else problems.push(`The parameter ${name} is not valid.`)
    }
  }
  return { values, problems }
}

function defaultOf(schema: Parameter['schema']): ParameterValue | undefined {
  const stated = schema['default'] as string | number | boolean | undefined
  return typeof stated === 'number' && schema['format'] === 'int64' ? BigInt(stated) : stated
}

/** The text as the schema's type, or undefined where it is not of that type. */
function coerce(text: string, schema: Parameter['schema']): ParameterValue | undefined {
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
