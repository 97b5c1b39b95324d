/** Values for a JSON Schema that break one constraint or meet it at its boundary. */

import { isKnownFormat, plainSchema, type Resolve, type Schema } from '@cdn/api/contract'
import { addDecimals } from '@cdn/kit/decimal'
import { isRecord } from '@cdn/kit/record'
import { schemaExample } from '../../exchange/schema-example.ts'

/** A value that breaks one constraint of a schema, or meets it at its boundary. All other parts of the value are valid. */
export interface SchemaCase {
  /** Path of the constrained part, such as `Hostname` or `Tags/0`; empty for the whole value. */
  readonly at: string
  readonly keyword: string
  readonly isBroken: boolean
  /** The whole value. An integer at or beyond the limit of `int32` or `int64` is a bigint. */
  readonly value: unknown
}

/** A text that fits no format except `uri-reference`, and no enum. */
export const invalidText = 'sideways!'

/** The largest integer of each integer format. */
const largest: Readonly<Record<string, bigint>> = { int32: 2n ** 31n - 1n, int64: 2n ** 63n - 1n }

/** Maximum depth of the constrained parts. Deeper parts repeat the constraints of recursive schemas. */
const maxCaseDepth = 4

/**
 * Returns values that break each constraint of a schema once (`type` once for each other type), and values that meet it
 * at its boundary. The constraints of a choice between several schemas are left out: a value that breaks one of them can
 * fit another.
 *
 * @param schema the schema from the contract
 * @param resolve follows a `$ref`
 * @param given a valid value, on which the cases are based
 */
export function schemaCases(
  schema: Schema,
  resolve: Resolve,
  given: unknown = schemaExample(schema, resolve),
  depth = 0,
): SchemaCase[] {
  const whole = plainSchema(schema, resolve)
  const valid = withinLimits(whole, given)
  const { properties = {}, items } = whole
  const below = (name: string, inner: Schema, value: unknown, wrap: (part: unknown) => unknown) =>
    schemaCases(inner, resolve, value ?? schemaExample(inner, resolve), depth + 1).map((each) => ({
      ...each,
      at: each.at === '' ? name : `${name}/${each.at}`,
      value: wrap(each.value),
    }))
  const parts =
    depth === maxCaseDepth
      ? []
      : [
          ...(items ? below('0', items, Array.isArray(valid) ? valid[0] : undefined, (part) => [part]) : []),
          ...Object.entries(properties).flatMap(([name, inner]) =>
            below(name, inner, isRecord(valid) ? valid[name] : undefined, (part) => ({
              ...(isRecord(valid) && valid),
              [name]: part,
            })),
          ),
        ]
  const own = Object.entries(keywords).flatMap(([keyword, casesOf]) => {
    const { broken = [], met = [] } = casesOf(whole, valid, resolve)
    const toCase = (isBroken: boolean) => (value: unknown) => ({ at: '', keyword, isBroken, value })
    return [...broken.map(toCase(true)), ...met.map(toCase(false))]
  })
  return [...own, ...requiredCases(whole, valid), ...parts]
}

/** Returns the nearest number within the limits, because the default in a contract can be outside of them. Other values stay. */
function withinLimits({ minimum, maximum }: Schema, value: unknown): unknown {
  const number = Number(value)
  if (minimum !== undefined && number < minimum) return minimum
  return maximum !== undefined && number > maximum ? maximum : value
}

/** Returns a value without each required property, and the value with the required properties only. */
function requiredCases({ required = [] }: Schema, valid: unknown): SchemaCase[] {
  if (!isRecord(valid)) return []
  const only = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, valid[name]]))
  return required.flatMap((at) => [
    { at, keyword: 'required', isBroken: true, value: only(Object.keys(valid).filter((name) => name !== at)) },
    { at, keyword: 'required', isBroken: false, value: only(required) },
  ])
}

interface Values {
  readonly broken?: readonly unknown[]
  readonly met?: readonly unknown[]
}

type CasesOf = (schema: Schema, valid: unknown, resolve: Resolve) => Values

/** The values for each keyword of a schema; none if the schema lacks the keyword. */
const keywords: Readonly<Record<string, CasesOf>> = {
  type: ({ type, enum: values }, valid) => {
    const types: readonly unknown[] = [type ?? []].flat()
    if (types.length === 0) return {}
    const all = { null: null, boolean: true, integer: 17, number: 17.5, string: invalidText, object: { value: valid } }
    const others = Object.entries({ ...all, array: [valid, valid] }).filter(
      ([name]) => !types.includes(name) && !(name === 'integer' && types.includes('number')),
    )
    return { broken: others.map(([, value]) => value), met: values ? [] : [valid] }
  },
  enum: ({ enum: values }) => {
    // The broken value has the right type, so that it exposes a server that checks only the type.
    const numbers = values?.filter((each) => typeof each === 'number') ?? []
    return values ? { broken: [numbers.length > 0 ? Math.max(...numbers) + 1 : invalidText], met: values } : {}
  },
  additionalProperties: ({ additionalProperties }, valid) =>
    additionalProperties === false && isRecord(valid) ? { broken: [{ ...valid, [invalidText]: 1 }], met: [valid] } : {},
  minimum: atLimit('minimum', -1, 0),
  exclusiveMinimum: atLimit('exclusiveMinimum', 0, 1),
  maximum: atLimit('maximum', 1, 0),
  exclusiveMaximum: atLimit('exclusiveMaximum', 0, -1),
  multipleOf: ({ multipleOf }, valid) =>
    multipleOf === undefined ? {} : { broken: [addDecimals(Number(valid), multipleOf / 2)], met: [valid] },
  format: ({ format = '', maximum, enum: values }, valid) => {
    const limit = largest[format]
    if (limit !== undefined) return { broken: [limit + 1n], met: maximum === undefined ? [limit] : [valid] }
    return isKnownFormat(format) && format !== 'uri-reference' && !values ? { broken: [invalidText], met: [valid] } : {}
  },
  pattern: ({ pattern }, valid) =>
    pattern === undefined
      ? {}
      : {
          broken: [invalidText, '', 'a', '0'].filter((one) => !isMatch(one, String(pattern))).slice(0, 1),
          met: [valid],
        },
  minLength: ofLength('minLength', -1, textOfLength),
  maxLength: ofLength('maxLength', 1, textOfLength),
  minItems: ofLength('minItems', -1, listOfLength),
  maxItems: ofLength('maxItems', 1, listOfLength),
}

function atLimit(keyword: string, beyond: number, within: number): CasesOf {
  return ({ [keyword]: limit, multipleOf = 1 }) =>
    typeof limit === 'number'
      ? {
          broken: [addDecimals(limit, beyond * multipleOf)],
          met: [addDecimals(limit, within * multipleOf)],
        }
      : {}
}

/** Makes a broken value whose length is one beyond a limit, and a met one of exactly the limit unless that breaks the `pattern`. */
function ofLength(
  keyword: string,
  beyond: number,
  make: (length: number, ...of: Parameters<CasesOf>) => unknown,
): CasesOf {
  return (schema, valid, resolve) => {
    const { [keyword]: limit, pattern } = schema
    if (typeof limit !== 'number' || limit + beyond < 0) return {}
    const [broken, met] = [limit + beyond, limit].map((length) => make(length, schema, valid, resolve))
    return { broken: [broken], met: isMatch(String(met), String(pattern ?? '')) ? [met] : [] }
  }
}

function textOfLength(length: number, _: Schema, valid: unknown): string {
  return String(valid).padEnd(length, 'x').slice(0, length)
}

function listOfLength(length: number, { items = {} }: Schema, _: unknown, resolve: Resolve): unknown[] {
  return Array.from({ length }, () => schemaExample(items, resolve))
}

/** Whether a text matches a `pattern`. An expression that JavaScript cannot compile matches any text. */
function isMatch(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return true
  }
}
