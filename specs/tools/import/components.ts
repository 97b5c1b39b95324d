import { isRecord, toRecord } from '@cdn/kit/record'
import { decodeStep, followReference, lookUp } from '@cdn/kit/reference'
import { partsOf } from './faults.ts'
import { type Json, listOf, mapValues } from './json.ts'

const prefix = '#/components/schemas/'

/** Keys of a schema with objects of arbitrary member names. In such an object, a member `x-id` is not an extension. */
const maps = new Set(['properties', 'patternProperties', '$defs', 'dependentSchemas'])
/** Keys of a schema whose values are data, not schemas. */
const data = new Set(['enum', 'const', 'default', 'examples', 'required', 'type'])
const annotations = new Set(['title', 'description', 'deprecated', 'readOnly', 'writeOnly', 'default', 'examples'])

/** Whether a key only explains a schema. */
export function isAnnotation(key: string): boolean {
  return annotations.has(key)
}

/** Converts parts of a foreign contract, and collects the schemas that they refer to. */
export type ComponentReader = ReturnType<typeof createComponentReader>

/**
 * Creates a reader of a foreign contract. Schemas keep their names as far as OpenAPI allows.
 *
 * @param foreign OpenAPI 3.0 or 3.1, in one document
 * @param namespace prefix for the names of schemas, so that schemas of two contracts stay separate
 */
export function createComponentReader(foreign: Json, namespace: string) {
  /** The schemas that were referred to, by the steps of their references. */
  const used = new Map<string, { readonly name: string; readonly reference: string }>()
  const notes = new Set<string>()
  const rename = (reference: string): string => {
    const key = stepsOf(reference).join('/')
    const known = used.get(key)
    if (known) return prefix + known.name
    const name = unused(namespace + toName(reference), new Set([...used.values()].map((each) => each.name)))
    used.set(key, { name, reference })
    return prefix + name
  }

  /**
   * Converts a schema and its parts to OpenAPI 3.1: `nullable` becomes a type, exclusive bounds become numbers, `example` becomes
   * `examples`, and foreign `x-` keys are removed.
   */
  const toSchema = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(toSchema)
    if (!isRecord(node)) return node
    const entries = Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
      if (key.startsWith('x-') || key === 'nullable' || key === 'xml' || key === 'externalDocs') return []
      if (key === '$ref') return [[key, rename(String(value))]]
      if (key === 'discriminator') return isRecord(value) ? [[key, toDiscriminator(value)]] : []
      if (key === 'example') return [['examples', [value]]]
      if (data.has(key)) return [[key, value]]
      if (maps.has(key) && isRecord(value)) return [[key, mapValues(value, toSchema)]]
      if (key === 'pattern' && !isPattern(value)) {
        notes.add(`The pattern ${JSON.stringify(value)} is not imported: JavaScript cannot read it.`)
        return []
      }
      return [[key, toSchema(value)]]
    })
    const schema = withNumericBounds(Object.fromEntries(entries))
    return node['nullable'] === true ? orNull(schema) : schema
  }

  /** Converts a discriminator. Its mapping refers to schemas by reference or by plain name. */
  const toDiscriminator = ({ propertyName, mapping }: Json): Json => {
    const toReference = (value: unknown) => {
      const text = String(value)
      return rename(text.startsWith('#') ? text : prefix + text)
    }
    return { propertyName, ...(isRecord(mapping) && { mapping: mapValues(mapping, toReference) }) }
  }

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
    const ownSchema = toSchema(schema)
    // Only examples of parameters are kept, because they can be sent. Examples of a body often break their own schema.
    const [given] = isRecord(examples) ? Object.values(examples) : []
    const sample = example ?? (isRecord(given) ? given['value'] : undefined)
    const takesSample = typeof node['in'] === 'string' && sample !== undefined
    const withSample = takesSample && isRecord(ownSchema) && !('$ref' in ownSchema)
    return { ...Object.fromEntries(properties), schema: withSample ? { ...ownSchema, examples: [sample] } : ownSchema }
  }
  return {
    part,
    /** One sentence for each part of a schema that is not imported. */
    notes,
    /** Returns all schemas referred to so far, including their own references. */
    schemas(): Json {
      const converted: [string, unknown][] = []
      // A conversion can add schemas, which this loop then visits, too.
      for (const { name, reference } of used.values()) {
        const schema = reference.startsWith('#/') ? lookUp(foreign, reference) : undefined
        if (schema === undefined) throw new RangeError(`the reference ${reference} does not resolve`)
        converted.push([name, toSchema(schema)])
      }
      return withoutChildren(Object.fromEntries(converted), notes)
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
function withoutChildren(schemas: Json, notes: Set<string>): Json {
  return mapValues(schemas, (schema, name) => {
    if (!isRecord(schema) || !isRecord(schema['discriminator'])) return schema
    const { oneOf, anyOf, ...others } = schema
    const children = [oneOf, anyOf].flatMap(listOf).flatMap(partsOf)
    if (!children.some((child) => partsOf(toRecord(schemas[child])).includes(name))) return schema
    notes.add(`The schema ${name} lists schemas that extend it; it is imported without the list.`)
    return others
  })
}

function isPattern(value: unknown): boolean {
  try {
    return typeof value === 'string' && new RegExp(value, 'u') !== undefined
  } catch {
    return false
  }
}

function withNumericBounds(schema: Record<string, unknown>): Record<string, unknown> {
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue
    if (schema[exclusive] && typeof schema[bound] === 'number') {
      schema[exclusive] = schema[bound]
      delete schema[bound]
    } else delete schema[exclusive]
  }
  return schema
}

/** Allows null in a schema. Annotations stay outside the choice, so a changed description does not change the alternatives. */
function orNull(schema: Json): Json {
  const { type, enum: values } = schema
  if (type === undefined) {
    const part = (outside: boolean) =>
      Object.fromEntries(Object.entries(schema).filter(([key]) => isAnnotation(key) === outside))
    return { ...part(true), anyOf: [part(false), { type: 'null' }] }
  }
  return {
    ...schema,
    type: [...new Set([type, 'null'].flat())],
    ...(Array.isArray(values) && !values.includes(null) && { enum: [...listOf(values), null] }),
  }
}
