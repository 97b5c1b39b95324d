import { isDeepStrictEqual } from 'node:util'
import { defined } from '@cdn/kit/defined'
import { isRecord, toRecord } from '@cdn/kit/record'
import { type InterfaceName, interfaces } from '../../bundle.ts'
import { absent, type Fact, pointer, present } from './fact.ts'

/** The layer `spec` of each interface, bundled. */
export type Documents = Readonly<Record<InterfaceName, unknown>>

/** Keys that never state a fact: they explain something or serve our tools. */
const prose = new Set(['description', 'summary', 'title', 'text', 'unchecked', 'x-name', 'x-variable'])

/** Keys that the spec does not state. OpenAPI, the linter or our tools need them. */
const ours = ['/openapi', '/info/license', '/servers']
const oursInLogging = [...ours, '/tags', pointer('paths', '/v2/pullzones/{pullZoneId}/logs', 'get', 'tags')]

/**
 * Compares the documents with the table.
 *
 * @param table the facts
 * @param documents the bundled layers `spec`
 * @returns one sentence for each fact that differs
 */
export function differences(table: readonly Fact[], documents: Documents): string[] {
  return table.flatMap((fact) => {
    const actual = withoutProse(valueAt(documents[fact.interface], fact.at))
    const holds =
      fact.value === present
        ? actual !== undefined
        : fact.value === absent
          ? actual === undefined
          : isDeepStrictEqual(actual, fact.value)
    const place = `§${fact.section}: ${fact.interface} ${fact.at}`
    return holds ? [] : [`${place} should be ${show(fact.value)} and is ${show(actual)}`]
  })
}

/** Removes the texts of the keys in `prose`. A field of a schema may have such a name; its value is not a text, so it stays. */
function withoutProse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProse)
  if (!isRecord(value)) return value
  const stated = Object.entries(value).filter(([key, each]) => !prose.has(key) || typeof each !== 'string')
  return Object.fromEntries(stated.map(([key, each]) => [key, withoutProse(each)]))
}

/**
 * Finds statements of the documents that the table does not have, such as an additional status or an invented
 * parameter.
 *
 * @param table the facts
 * @param documents the bundled layers `spec`
 * @returns interface and pointer of each place that has no row in the table, without the places below it
 */
export function unnamed(table: readonly Fact[], documents: Documents): string[] {
  return interfaces.flatMap((name) => {
    const rows = table.filter((fact) => fact.interface === name && fact.value !== absent)
    // A row covers its place and all places above it. If the value is compared deeply, the row also covers everything below.
    const ways = new Set(rows.flatMap(({ at }) => prefixes(at)))
    const whole = new Set(rows.filter(({ value }) => value !== present).map(({ at }) => at))
    const all = places(name, documents[name])
      .map(({ at }) => at)
      .filter((at) => !ways.has(at) && !prefixes(at).some((way) => whole.has(way)))
    const known = new Set(all)
    return all.filter((at) => !prefixes(at).some((way) => way !== at && known.has(way))).map((at) => `${name} ${at}`)
  })
}

/**
 * Visits everything that can state a fact.
 *
 * @param name the interface
 * @param document its bundled layer `spec`
 * @returns each object, list and plain value with its pointer; without prose, and without keys that the spec does not state
 */
export function places(name: string, document: unknown): { at: string; node: unknown }[] {
  const skipped = new Set(name === 'logging' ? oursInLogging : ours)
  const visit = (node: unknown, at: string, calledBy?: string): { at: string; node: unknown }[] => {
    if (skipped.has(at)) return []
    const under = Object.entries(Array.isArray(node) ? node : toRecord(node)).flatMap(([key, member]) => {
      if (key === calledBy || prose.has(key)) return []
      const [called, step] = (Array.isArray(node) && elementKey(member)) || [undefined, key]
      return visit(member, at + pointer(step), called)
    })
    return [{ at, node }, ...under]
  }
  return visit(document, '')
}

/**
 * Returns the identifier of a list element.
 *
 * @param element an element of a list
 * @returns the key (`id` or `name`) and its value; undefined without either
 */
export function elementKey(element: unknown): [key: string, value: string] | undefined {
  const { id, name } = toRecord(element)
  if (typeof id === 'string') return ['id', id]
  return typeof name === 'string' ? ['name', name] : undefined
}

/** Returns the value at a pointer as in `Fact.at`, or undefined if the document has no such place. */
export function valueAt(document: unknown, at: string): unknown {
  return steps(at).reduce((node: unknown, step) => {
    if (Array.isArray(node)) return node.find((element) => elementKey(element)?.[1] === step) ?? node[Number(step)]
    return isRecord(node) && Object.hasOwn(node, step) ? node[step] : undefined
  }, document)
}

/** Splits a JSON pointer (RFC 6901) into its unescaped steps. */
export function steps(at: string): string[] {
  return at
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function prefixes(at: string): string[] {
  const all = steps(at)
  return [...all.keys(), all.length].map((length) => pointer(...all.slice(0, length)))
}

function show(value: unknown): string {
  if (typeof value === 'symbol') return defined(value.description)
  return value === undefined ? 'absent' : JSON.stringify(value)
}
