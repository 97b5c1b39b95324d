import { isRecord } from '@cdn/kit/record'

/** A JSON Schema with only the keywords that can be derived from values. */
export interface SeenSchema {
  readonly type: string | readonly string[]
  readonly items?: SeenSchema
  readonly properties?: Readonly<Record<string, SeenSchema>>
}

/**
 * Derives a schema from observed values: their types, the fields of objects, the elements of arrays. The schema has no
 * `required`, because values cannot show what is required.
 *
 * @param values the observed values, at least one
 */
export function schemaOf(values: readonly unknown[]): SeenSchema {
  const types = [...new Set(values.map(typeOf))].sort()
  const elements = values.filter(Array.isArray).flat()
  const objects = values.filter(isRecord)
  const names = [...new Set(objects.flatMap(Object.keys))].sort()
  const fields = names.map((name) => [name, schemaOf(objects.flatMap((one) => (name in one ? [one[name]] : [])))])
  return {
    type: types.length === 1 ? (types[0] ?? 'null') : types,
    ...(elements.length > 0 && { items: schemaOf(elements) }),
    ...(names.length > 0 && { properties: Object.fromEntries(fields) }),
  }
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}
