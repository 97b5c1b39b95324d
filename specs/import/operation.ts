import { toKebab } from '../scaffold/names.ts'
import { isObject, type Json, lookUp } from './json.ts'
import { toOwnSchema } from './schema.ts'

/** The words that an import can fill in, each with the operation that it is for. */
export type Words = Readonly<Record<'x-name' | 'x-effect', string>>

export const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const
export type Method = (typeof methods)[number]

/** What an operation does, as far as its method tells. */
export function effectOf(method: Method): string {
  if (method === 'delete') return 'destructive'
  return method === 'get' || method === 'head' || method === 'options' ? 'read' : 'write'
}

/** A name out of the operation id (`repos/listForOrg` becomes `repos-list-for-org`), or out of method and path. */
export function nameOf(method: Method, path: string, operationId: unknown): string {
  const name = toKebab(typeof operationId === 'string' ? operationId : `${method} ${path}`)
  return /^[a-z]/.test(name) ? name : `${method}-${name}`
}

/** What the parts of an operation are read with. */
export interface Reading {
  /** The whole foreign contract. */
  readonly foreign: Json
  readonly rename: (reference: string) => string
}

/**
 * Brings a parameter, response, request body or media type of a foreign contract into ours: references to anything but schemas
 * are followed, foreign `x-` keys, links and examples of whole bodies go.
 */
export function toOwnPart(node: unknown, reading: Reading): unknown {
  if (Array.isArray(node)) return node.map((member) => toOwnPart(member, reading))
  if (!isObject(node)) return node
  const reference = node['$ref']
  if (typeof reference === 'string') return toOwnPart(lookUp(reading.foreign, reference), reading)
  const { example, examples, schema, ...others } = node
  const own = Object.entries(others).flatMap(([key, value]): [string, unknown][] => {
    if (key.startsWith('x-') || key === 'links') return []
    // Media types and headers are called by names of their own.
    if ((key === 'content' || key === 'headers') && isObject(value))
      return [[key, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, toOwnPart(part, reading)]))]]
    return [[key, toOwnPart(value, reading)]]
  })
  const ownSchema = schema === undefined ? undefined : toOwnSchema(schema, reading.rename)
  // Examples of a parameter are what a caller can send; those of a body often break their own schema.
  const [given] = isObject(examples) ? Object.values(examples) : []
  const sample = example ?? (isObject(given) ? given['value'] : undefined)
  const isParameter = typeof node['in'] === 'string'
  return {
    ...Object.fromEntries(own),
    ...(ownSchema !== undefined && {
      schema:
        isParameter && sample !== undefined && isObject(ownSchema) && !('$ref' in ownSchema)
          ? { ...ownSchema, examples: [sample] }
          : ownSchema,
    }),
  }
}
