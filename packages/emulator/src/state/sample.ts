import type { Schema } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { followReference } from '@cdn/kit/reference'
import { fieldsOf } from '@cdn/kit/resources'

/** Maximum depth of a sample. A deeper schema refers to itself. */
const maxDepth = 8

/**
 * Creates the plainest value that a schema permits: its default, null, false, the smallest number, an empty list, or an object with
 * all fields. A pattern is not considered.
 *
 * @param api the document that the references of the schema point into
 * @param now the value of a date
 */
export function sampleOf(stated: unknown, api: object, now: Date, depth = maxDepth): unknown {
  const follow = (node: unknown) => followReference(api, node)
  const schema = toRecord(follow(stated)) as Schema // the contract is linted
  const types = [schema.type ?? []].flat()
  const [choice] = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]
  if (schema['default'] !== undefined) return schema['default']
  if (types.includes('null') || schema['nullable'] === true) return null
  if (schema['const'] !== undefined || schema.enum) return schema['const'] ?? schema.enum?.[0]
  const fields = fieldsOf(schema, follow)
  if (types.length === 0 && choice && Object.keys(fields).length === 0) return sampleOf(choice, api, now, depth)
  switch (types[0] ?? (Object.keys(fields).length > 0 ? 'object' : undefined)) {
    case 'object':
      return Object.fromEntries(
        Object.entries(depth > 0 ? fields : {}).map(([name, each]) => [name, sampleOf(each, api, now, depth - 1)]),
      )
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => sampleOf(schema.items, api, now, depth - 1))
    case 'boolean':
      return false
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? (schema.exclusiveMinimum ?? -1) + 1, Math.min(0, schema.maximum ?? 0))
    case 'string':
      return (texts[schema.format ?? '']?.(now) ?? '').padEnd(schema.minLength ?? 0, 'x')
    default:
      return null
  }
}

/** Texts of a format. */
const texts: Readonly<Record<string, (now: Date) => string>> = {
  'date-time': (now) => now.toISOString(),
  date: (now) => now.toISOString().slice(0, 10),
  uuid: () => '00000000-0000-4000-8000-000000000000',
  uri: () => 'https://sample.invalid/',
  email: () => 'sample@example.invalid',
  hostname: () => 'sample.invalid',
}
