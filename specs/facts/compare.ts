import { isDeepStrictEqual } from 'node:util'
import { type Interface, interfaces } from '../bundle.ts'
import { absent, type Fact, pointer, present } from './fact.ts'

/** The bundled document layer of each interface. */
export type Documents = Readonly<Record<Interface, unknown>>

/** Keys that explain and state no fact of their own, wherever they stand. */
const prose = new Set(['description', 'summary', 'title', 'text', 'unchecked', 'x-name'])

/** What OpenAPI asks for and the source document does not give. */
const ours = ['/openapi', '/info/license', '/servers']
const oursInLogging = [...ours, '/tags', pointer('paths', '/v2/pullzones/{pullZoneId}/logs', 'get', 'tags')]

/**
 * Holds the documents against the table.
 *
 * @param table the facts
 * @param documents the bundled document layers
 * @returns one sentence for each fact that does not hold; empty where all do
 */
export function differences(table: readonly Fact[], documents: Documents): string[] {
  return table.flatMap((fact) => {
    const found = valueAt(documents[fact.interface], fact.at)
    const holds =
      fact.value === present
        ? found !== undefined
        : fact.value === absent
          ? found === undefined
          : isDeepStrictEqual(found, fact.value)
    const place = `§${fact.section}: ${fact.interface} ${fact.at}`
    return holds ? [] : [`${place} should be ${show(fact.value)} and is ${show(found)}`]
  })
}

/**
 * Looks for what the documents say and the table does not: a status too many, an invented parameter.
 *
 * @param table the facts
 * @param documents the bundled document layers
 * @returns interface and pointer of each place that no row names; empty where the table is complete
 */
export function unnamed(table: readonly Fact[], documents: Documents): string[] {
  return interfaces.flatMap((name) => {
    const rows = table.filter((fact) => fact.interface === name && fact.value !== absent)
    // A row names the way to its place, and everything under it where it compares deeply.
    const ways = new Set(rows.flatMap(({ at }) => prefixes(at)))
    const whole = new Set(rows.filter(({ value }) => value !== present).map(({ at }) => at))
    return places(name, documents[name])
      .filter(({ at }) => !ways.has(at) && !prefixes(at).some((way) => whole.has(way)))
      .map(({ at }) => `${name} ${at}`)
  })
}

/**
 * Walks through all that can state a fact.
 *
 * @param name the interface
 * @param document its bundled document layer
 * @returns each object, list and plain value with its pointer, without prose and without what OpenAPI asks for
 */
export function places(name: Interface, document: unknown): { at: string; node: unknown }[] {
  const skipped = new Set(name === 'logging' ? oursInLogging : ours)
  const visit = (node: unknown, at: string, calledBy?: string): { at: string; node: unknown }[] => {
    if (skipped.has(at)) return []
    const under = Object.entries(typeof node === 'object' ? (node ?? {}) : {}).flatMap(([key, member]) => {
      if (key === calledBy || prose.has(key)) return []
      const [called, step] = (Array.isArray(node) && keyOf(member)) || [undefined, key]
      return visit(member, at + pointer(step), called)
    })
    return [{ at, node }, ...under]
  }
  return visit(document, '')
}

/**
 * What a list element is called by.
 *
 * @param element an element of a list
 * @returns the key (`id` or `name`) and its value; undefined where it has neither
 */
export function keyOf(element: unknown): [key: string, value: string] | undefined {
  const { id, name } = (element ?? {}) as { id?: unknown; name?: unknown }
  if (typeof id === 'string') return ['id', id]
  return typeof name === 'string' ? ['name', name] : undefined
}

/** What stands at a pointer; undefined where nothing does. */
export function valueAt(document: unknown, at: string): unknown {
  return steps(at).reduce((node: unknown, step) => {
    if (Array.isArray(node)) return node.find((element) => keyOf(element)?.[1] === step) ?? node[Number(step)]
    return typeof node === 'object' && node !== null && Object.hasOwn(node, step)
      ? (node as Record<string, unknown>)[step]
      : undefined
  }, document)
}

/** The steps of a JSON pointer (RFC 6901). */
export function steps(at: string): string[] {
  return at
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The pointers of all places on the way to one, itself included. */
function prefixes(at: string): string[] {
  const all = steps(at)
  return [...all.keys(), all.length].map((length) => pointer(...all.slice(0, length)))
}

function show(value: unknown): string {
  if (typeof value === 'symbol') return value.description ?? ''
  return value === undefined ? 'absent' : JSON.stringify(value)
}
