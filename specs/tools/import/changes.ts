import { kebabCase } from '@cdn/kit/case'
import { isRecord, toRecord } from '@cdn/kit/record'
import { followReference } from '@cdn/kit/reference'
import {
  fieldsOf,
  findResources,
  itemsOf,
  jsonSchema,
  resourceAt,
  type StatedResource,
  successSchema,
} from '@cdn/kit/resources'
import { type Json, listOf, mapValues } from './json.ts'
import { shapeOf } from './operations.ts'

/**
 * Proposes resources and changes (`x-resource`, `x-change`) where paths and methods follow the conventions of REST: a list at
 * `/things`, an item at `/things/{id}`, a single document at `/thing`, and operations such as `/things/{id}/addPart`. All proposals are
 * in `x-assumed`, so they permit nothing until they are reviewed.
 *
 * @param contract a converted contract; what it states already stays
 * @returns the contract with proposals
 */
export function withProposals(contract: Json): Json {
  const follow = (node: unknown) => followReference(contract, node)
  const paths = toRecord(contract['paths'])
  const names = new Set(Object.values(paths).map((item) => toRecord(toRecord(item)['x-resource'])['name']))
  const items = mapValues(paths, (item, path) => {
    const resource = toRecord(item)['x-resource'] === undefined ? resourceOf(path, paths, follow) : undefined
    // Names are unique, so of two paths that lead to one name (`/a/b` and `/a-b`) only the first becomes a resource.
    const isFirst = resource && names.size < names.add(resource['name']).size
    return isFirst ? { ...toRecord(item), 'x-resource': resource, 'x-assumed': ['x-resource'] } : item
  })
  const resources = findResources(items, follow)
  const proposed = mapValues(items, (item, path) =>
    mapValues(toRecord(item), (operation, method) => {
      const isNew = isRecord(operation) && methods.has(method) && operation['x-change'] === undefined
      const change = isNew ? changeOf(method, path, operation, { paths, resources, follow }) : undefined
      if (change === undefined) return operation
      const assumed = listOf(toRecord(operation)['x-assumed'])
      return { ...toRecord(operation), 'x-change': change, 'x-assumed': [...assumed, 'x-change'] }
    }),
  )
  return { ...contract, paths: proposed }
}

const methods: ReadonlySet<string> = new Set(['put', 'post', 'patch', 'delete'])
type Follow = (node: unknown) => unknown

/** Proposes the resource of a path: an item, a list without a path for one item, or a document. */
function resourceOf(path: string, paths: Json, follow: Follow): Json | undefined {
  const [, parameter] = /\/\{([^{}]+)\}$/.exec(path) ?? []
  const collection = parameter === undefined ? path : path.slice(0, path.lastIndexOf('/'))
  const name = kebabCase(collection.replaceAll(/\{[^{}]*\}/g, ' '))
  // A segment such as `{base}...{head}` is neither an item nor a document.
  const isMixed = parameter === undefined && path.split('/').at(-1)?.includes('{')
  if (!/^[a-z]/.test(name) || isMixed) return undefined
  const shown = successSchema(toRecord(paths[path])['get'], follow)
  const list = itemsOf(successSchema(toRecord(paths[collection])['get'], follow), follow)
  if (parameter !== undefined) {
    const id = idOf(fieldsOf(shown ?? list, follow), [parameter, ...ids])
    return id === undefined ? undefined : { name, id }
  }
  const hasItems = Object.keys(paths).some((other) => shapeOf(other) === `${shapeOf(path)}/{}`)
  if (hasItems || shown === undefined || needsQuery(toRecord(paths[path])['get'], follow)) return undefined
  const id = list && idOf(fieldsOf(list, follow), ids)
  if (list) return id === undefined ? undefined : { name, id }
  return Object.keys(fieldsOf(shown, follow)).length > 0 ? { name } : undefined
}

/** Usual names of the field with the id of an item, without case and separators. */
const ids = ['id', 'guid', 'uuid', 'isocode', 'shortcode', 'code', 'key', 'name']

function idOf(fields: Json, names: readonly string[]): string | undefined {
  const known = names.map((name) => fieldLike(fields, name)).find((field) => field !== undefined)
  return known ?? (names.includes('id') ? Object.keys(fields).find((field) => /[a-z]I[dD]$/.test(field)) : undefined)
}

/** Finds a field whose name differs only in case and separators. */
function fieldLike(fields: Json, name: string): string | undefined {
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
  return Object.keys(fields).find((field) => plain(field) === plain(name))
}

function needsQuery(operation: unknown, follow: Follow): boolean {
  return listOf(toRecord(operation)['parameters'])
    .map((each) => toRecord(follow(each)))
    .some((parameter) => parameter['in'] === 'query' && parameter['required'] === true)
}

interface Surroundings {
  readonly paths: Json
  readonly resources: readonly StatedResource[]
  readonly follow: Follow
}

/** Proposes the change of an operation that is not a read. */
function changeOf(method: string, path: string, operation: Json, { paths, resources, follow }: Surroundings): unknown {
  if (operation['x-effect'] === 'read') return undefined
  const { resource, place } = resourceAt(resources, path) ?? {}
  if (!resource) return undefined
  const other = toRecord(paths[path])
  if (place === 'collection') {
    const creates = method === 'post' || (method === 'put' && !other['post'])
    return creates && paths[resource.at] !== other ? 'create' : undefined
  }
  if (place === 'document' && method === 'post') return undefined
  if (place !== 'part') {
    if (method === 'delete') return place === 'item' ? 'delete' : undefined
    return method === 'put' ? 'replace' : 'merge'
  }
  const rest = path.split('/').slice(resource.path.split('/').length + 1)
  const [last = ''] = rest
  if (rest.length !== 1) return undefined
  const [, verb, part = ''] = /^(add|remove)[-_]?(\w+)$/i.exec(last) ?? []
  if (verb) {
    const [value, ...more] = Object.keys(fieldsOf(jsonSchema(follow(operation['requestBody'])), follow))
    const list = listLike(resource.fields, part, value ?? '', follow)
    if (value === undefined || more.length > 0 || list === undefined) return undefined
    return verb.toLowerCase() === 'add' ? { add: value, to: list } : { remove: value, from: list }
  }
  const flag = [`Has${last}`, `${last}Enabled`, `Is${last}`]
    .map((name) => fieldLike(resource.fields, name))
    .find(Boolean)
  const isFlag = flag !== undefined && resource.fields[flag]?.['type'] === 'boolean' && other['delete'] !== undefined
  return isFlag ? { set: { [flag]: method !== 'delete' } } : undefined
}

/** Finds a list by the singular of its name: of plain values, or of objects with a field for the value (`Hostnames/Value`). */
function listLike(
  fields: StatedResource['fields'],
  singular: string,
  value: string,
  follow: Follow,
): string | undefined {
  const field = idOf(fields, [singular, `${singular}s`, `${singular}es`, singular.replace(/y$/, 'ies')])
  const items = toRecord(follow(fields[field ?? '']?.['items']))
  if (field === undefined || items['type'] === 'string' || items['type'] === 'integer') return field
  const member = idOf(fieldsOf(items, follow), [value, 'value', 'name'])
  return member === undefined ? undefined : `${field}/${member}`
}
