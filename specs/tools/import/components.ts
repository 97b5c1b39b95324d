import { isRecord, toRecord } from '@cdn/kit/record'
import { decodeStep, followReference, lookUp } from '@cdn/kit/reference'
import { partsOf } from './faults.ts'
import { type Json, listOf, mapValues } from './json.ts'
import { toOwnSchema } from './schema.ts'

const prefix = '#/components/schemas/'

/** Converts parts of a foreign contract, and collects the schemas that they refer to. */
export type ComponentReader = ReturnType<typeof createComponentReader>

/**
 * Creates a reader of a foreign contract. Schemas keep their names as far as OpenAPI allows.
 *
 * @param foreign OpenAPI 3.0 or 3.1, in one document
 * @param namespace prefix for the names of schemas, so that schemas of two contracts stay separate
 */
export function createComponentReader(foreign: Json, namespace: string) {
  const names = new Map<string, string>()
  const waiting: { readonly name: string; readonly reference: string }[] = []
  const rename = (reference: string): string => {
    const key = stepsOf(reference).join('/')
    let name = names.get(key)
    if (name === undefined) {
      name = unused(namespace + toName(reference), new Set(names.values()))
      names.set(key, name)
      waiting.push({ name, reference })
    }
    return prefix + name
  }
  const notes = new Set<string>()
  const reading = { rename, note: (sentence: string) => void notes.add(sentence) }
  /** Converts a parameter, response, request body or media type. Only references to schemas stay references. */
  const part = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(part)
    if (!isRecord(node)) return node
    if (typeof node['$ref'] === 'string') return part(followReference(foreign, node))
    const { example, examples, schema, ...others } = node
    const properties = Object.entries(others).flatMap(([key, value]): [string, unknown][] => {
      if (key.startsWith('x-') || key === 'links') return []
      // The keys of these objects are arbitrary names, so an `x-` key is kept.
      if ((key === 'content' || key === 'headers') && isRecord(value)) return [[key, mapValues(value, part)]]
      return [[key, part(value)]]
    })
    if (schema === undefined) return Object.fromEntries(properties)
    const ownSchema = toOwnSchema(schema, reading)
    // Only examples of parameters are kept, because they can be sent. Examples of a body often break their own schema.
    const [given] = isRecord(examples) ? Object.values(examples) : []
    const sample = example ?? (isRecord(given) ? given['value'] : undefined)
    const takesSample = typeof node['in'] === 'string' && sample !== undefined
    const withSample = takesSample && isRecord(ownSchema) && !('$ref' in ownSchema)
    return { ...Object.fromEntries(properties), schema: withSample ? { ...ownSchema, examples: [sample] } : ownSchema }
  }
  const converted: [string, unknown][] = []
  return {
    part,
    /** One sentence for each part of a schema that is not imported. */
    notes,
    /** Returns all schemas referred to so far, including their own references. */
    schemas(): Json {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { name, reference } = next
        const schema = reference.startsWith('#/') ? lookUp(foreign, reference) : undefined
        if (schema === undefined) throw new RangeError(`the reference ${reference} does not resolve`)
        converted.push([name, toOwnSchema(schema, reading)])
      }
      return withoutChildren(Object.fromEntries(converted), reading.note)
    },
  }
}

/** Returns the steps of a reference. References with equal steps refer to the same place. */
function stepsOf(reference: string): string[] {
  return reference.split('/').map(decodeStep)
}

/** Derives a name for a schema from its reference. OpenAPI allows the name. */
function toName(reference: string): string {
  const steps = stepsOf(reference)
  const nameSteps = reference.startsWith(prefix) ? steps.slice(3) : steps.slice(1)
  return (
    nameSteps
      .join('.')
      .replace(/[^\w.-]+/g, '_')
      .replace(/^_+$/, '') || 'Schema'
  )
}

function unused(name: string, taken: ReadonlySet<string>): string {
  let free = name
  for (let number = 2; taken.has(free); number++) free = `${name}_${number}`
  return free
}

/**
 * Removes lists of alternatives that include their parent schema by `allOf`. The discriminator already identifies the
 * alternatives, and such a list would make the parent a part of itself.
 */
function withoutChildren(schemas: Json, note: (sentence: string) => void): Json {
  return mapValues(schemas, (schema, name) => {
    if (!isRecord(schema) || !isRecord(schema['discriminator'])) return schema
    const { oneOf, anyOf, ...others } = schema
    const children = [oneOf, anyOf].flatMap(listOf).flatMap(partsOf)
    if (!children.some((child) => partsOf(toRecord(schemas[child])).includes(name))) return schema
    note(`The schema ${name} lists schemas that extend it; it is imported without the list.`)
    return others
  })
}
