import { isDeepStrictEqual } from 'node:util'
import { isRecord, toRecord } from '@cdn/kit/record'
import { followReference } from '@cdn/kit/reference'
import { isAnnotation } from '../import/components.ts'
import { type Json, listOf, mapValues } from '../import/json.ts'

/**
 * Normalizes a contract, so that equivalent contracts are equal and every difference is a change for callers. A choice (`oneOf` or
 * `anyOf`) of single values becomes a sorted enumeration. A choice with one alternative becomes that alternative. Objects that
 * `allOf` combines become one object. Descriptions inside a choice are removed, because a comparison treats an alternative with a
 * changed text as a new alternative.
 *
 * @param contract OpenAPI 3.1 with internal references; no schema combines itself
 * @param keepsTexts keeps the descriptions inside choices
 */
export function normalize(contract: Json, keepsTexts = false): Json {
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit)
    if (!isRecord(node)) return node
    const whole = node['allOf'] === undefined ? undefined : wholeOf(contract, node)
    if (whole) return visit(whole)
    const { oneOf, anyOf, ...others } = node
    const choice = [...listOf(oneOf), ...listOf(anyOf)]
    const { const: only, ...rest } = mapValues(others, visit)
    const values = only === undefined ? rest['enum'] : [only]
    const schema = {
      ...rest,
      ...(Array.isArray(values) && { enum: inOrder(values) }),
      ...(Array.isArray(rest['type']) && { type: oneOrMany(rest['type'].map(String)) }),
    }
    if (choice.length === 0) return schema
    const accepted = choice.map((member) => valuesOf(contract, member))
    if (accepted.every((all) => all !== undefined)) {
      const all = inOrder([...new Set([...accepted.flat(), ...listOf(values)])])
      return { ...schema, type: oneOrMany(all.map(typeOf)), enum: all }
    }
    const members = choice.map((member) => (keepsTexts ? visit(member) : withoutAnnotations(visit(member))))
    const [member] = members
    if (members.length === 1 && isRecord(member)) return { ...member, ...schema }
    return { ...schema, [oneOf ? 'oneOf' : 'anyOf']: members }
  }
  // The components stay, because Redocly follows references to them.
  return {
    ...contract,
    paths: visit(contract['paths']),
    components: mapValues(toRecord(contract['components']), visit),
  }
}

function inOrder(values: readonly unknown[]): unknown[] {
  return [...values].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

/** Returns a single type as text, or several distinct types as a sorted list. */
function oneOrMany(types: readonly string[]): unknown {
  const all = [...new Set(types)].sort()
  return all.length === 1 ? all[0] : all
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** Returns all values that a schema accepts, or undefined if the schema does not enumerate them. */
function valuesOf(contract: Json, node: unknown): unknown[] | undefined {
  const schema = followReference(contract, node)
  if (!isRecord(schema)) return undefined
  if ('const' in schema) return [schema['const']]
  if (schema['type'] === 'null') return [null]
  if (Array.isArray(schema['enum'])) return schema['enum']
  const choice = [...listOf(schema['oneOf']), ...listOf(schema['anyOf'])]
  const values = choice.map((member) => valuesOf(contract, member))
  return choice.length > 0 && values.every((all) => all !== undefined) ? values.flat() : undefined
}

/** Keys about the fields of an object. An object with any other key cannot be merged. */
const ofFields = new Set(['type', 'properties', 'required', 'additionalProperties', 'allOf'])

/**
 * Merges objects that apply together into one.
 *
 * @returns the merged object; undefined if a part states more than fields, or if two parts describe the same field
 */
function wholeOf(contract: Json, node: unknown): Json | undefined {
  const schema = followReference(contract, node)
  if (!isRecord(schema)) return undefined
  const { allOf, properties, required, type, additionalProperties: more = true, ...texts } = schema
  const says = Object.keys(schema).filter((key) => !isAnnotation(key))
  if (says.some((key) => !ofFields.has(key)) || (type ?? 'object') !== 'object' || isRecord(more)) return undefined
  const parts = listOf(allOf).map((part) => wholeOf(contract, part))
  const all = [...parts, { properties, required, additionalProperties: more }]
  const fields = all.flatMap((part) => Object.entries(toRecord(part?.['properties'])))
  if (parts.includes(undefined) || new Set(fields.map(([name]) => name)).size < fields.length) return undefined
  const names = inOrder([...new Set(all.flatMap((part) => listOf(part?.['required'])))])
  return {
    ...texts,
    type: 'object',
    properties: Object.fromEntries(fields),
    ...(names.length > 0 && { required: names }),
    // Generators often forbid additional properties in each part. Taken literally, no value would be valid. So the rule is
    // applied to the merged object.
    ...(all.some((part) => part?.['additionalProperties'] === false) && { additionalProperties: false }),
  }
}

/**
 * Writes a schema as a choice with one alternative, if the other contract has a choice with this alternative. So a comparison finds
 * one more alternative instead of another type.
 *
 * @param one a part of a normalized contract
 * @param other the same part of the other contract
 */
export function alignChoices(one: unknown, other: unknown): unknown {
  if (Array.isArray(one)) return one.map((member, index) => alignChoices(member, listOf(other)[index]))
  if (!isRecord(one) || !isRecord(other)) return one
  const key = other['oneOf'] ? 'oneOf' : 'anyOf'
  const plain = withoutAnnotations(one)
  const index = listOf(other[key]).findIndex((member) => isDeepStrictEqual(member, plain))
  if (index === -1) return mapValues(one, (value, name) => alignChoices(value, other[name]))
  return { ...Object.fromEntries(Object.entries(one).filter(([name]) => isAnnotation(name))), [key]: [plain] }
}

function withoutAnnotations(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutAnnotations)
  if (!isRecord(node)) return node
  const plain = Object.entries(node).filter(([key, value]) => !isAnnotation(key) || isRecord(value))
  return Object.fromEntries(plain.map(([key, value]) => [key, withoutAnnotations(value)]))
}
