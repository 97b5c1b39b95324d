import { toRecord } from './record.ts'

/** Follows a `$ref` of an OpenAPI document to its target; returns any other node unchanged. */
export type Follow = (node: unknown) => unknown

/** A node of an OpenAPI document, before its form is known to be valid. */
type Node = Readonly<Record<string, unknown>>

/** A resource as a path states it (`x-resource`). */
export interface StatedResource {
  /** The path that has the `x-resource`. */
  readonly at: string
  readonly name: string
  /** Path template of the collection, or of a single document. */
  readonly path: string
  /** Field with the id of an item; absent for a single document. */
  readonly id?: string
  /** Schema of an item; `{}` if no response shows one. */
  readonly schema: Node
  /** Fields of an item; empty if no response shows them. */
  readonly fields: Readonly<Record<string, Node>>
}

type Addressed = Pick<StatedResource, 'path' | 'id'>

/**
 * Finds the resources of a document.
 *
 * @param paths the `paths` of an OpenAPI document
 * @returns the resources, ascending by the number of steps in their paths
 */
export function findResources(paths: Node, follow: Follow): StatedResource[] {
  const nodeAt = (path: string) => toRecord(follow(paths[path]))
  return Object.keys(paths)
    .filter((at) => nodeAt(at)['x-resource'] !== undefined)
    .sort((a, b) => a.split('/').length - b.split('/').length)
    .map((at) => {
      const { name, id } = toRecord(nodeAt(at)['x-resource'])
      const path = at.replace(/\/\{[^{}]+\}$/, '')
      const schema = schemaOfItem(at === path && id !== undefined ? {} : nodeAt(at), nodeAt(path), follow)
      const fields = fieldsOf(schema, follow)
      return { at, name: String(name), path, ...(id !== undefined && { id: String(id) }), schema, fields }
    })
}

/**
 * Finds the resource that an operation belongs to: the one with the longest path that leads to the operation. Names of parameters
 * do not matter: `/dnszone/{id}` leads to `/dnszone/{zoneId}/records`.
 *
 * @param resources the resources in the order of `findResources`
 * @param path the path template of the operation
 * @returns the resource, and whether `path` leads to the collection, the document, an item, or a part of one of these
 */
export function resourceAt<R extends Addressed>(
  resources: readonly R[],
  path: string,
): { resource: R; place: 'collection' | 'document' | 'item' | 'part' } | undefined {
  const shape = shapeOf(path)
  const own = resources.find((each) => shapeOf(each.path) === shape)
  if (own) return { resource: own, place: own.id === undefined ? 'document' : 'collection' }
  const resource = resources.findLast((each) => isBelow(each, path))
  return resource && { resource, place: shapeOf(itemPath(resource)) === shape ? 'item' : 'part' }
}

/** Whether a path leads to an item or document, or to a part of it. */
export function isBelow(resource: Addressed, path: string): boolean {
  return `${shapeOf(path)}/`.startsWith(`${shapeOf(itemPath(resource))}/`)
}

/** Finds a field by its name, or by what it shows (`x-shows`): the spec may state an effect without the field that shows it. */
export function fieldNamed(fields: Readonly<Record<string, Node>>, name: string): string | undefined {
  return Object.keys(fields).find((field) => field === name || fields[field]?.['x-shows'] === name)
}

/** The properties of a schema, with those of its parts (`allOf`). References to the schemas of the properties are followed. */
export function fieldsOf(schema: unknown, follow: Follow, depth = maxDepth): Record<string, Node> {
  const { properties, allOf } = toRecord(follow(schema))
  const parts = Array.isArray(allOf) && depth > 0 ? allOf.map((part) => fieldsOf(part, follow, depth - 1)) : []
  const own = Object.entries(toRecord(properties)).map(([name, each]) => [name, toRecord(follow(each))])
  return Object.assign({}, ...parts, Object.fromEntries(own))
}

/** Maximum depth of nested choices and parts of a schema. Deeper ones are ignored, because they are part of a cycle. */
const maxDepth = 16

/**
 * Finds the schema of the items of a list: of an array, of a page with one array, or of a choice of these.
 *
 * @returns undefined if the schema describes no list
 */
export function itemsOf(schema: unknown, follow: Follow, depth = maxDepth): Node | undefined {
  const node = toRecord(follow(schema))
  if (node['items']) return toRecord(node['items'])
  const choices = [node['oneOf'], node['anyOf']].filter(Array.isArray).flat()
  const choice = depth > 0 ? choices.map((each) => itemsOf(each, follow, depth - 1)).find(Boolean) : undefined
  const lists = Object.values(fieldsOf(node, follow)).filter(({ items }) => items)
  return choice ?? (lists.length === 1 ? toRecord(lists[0]?.['items']) : undefined)
}

/** The schema of the JSON body of the first 2xx response; undefined if no such response has a JSON body. */
export function successSchema(operation: unknown, follow: Follow): unknown {
  const responses = toRecord(toRecord(operation)['responses'])
  const response = toRecord(follow(Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]))
  return jsonSchema(response)
}

/** The schema of the JSON body of a request or response. */
export function jsonSchema(message: unknown): unknown {
  return toRecord(toRecord(toRecord(message)['content'])['application/json'])['schema']
}

/** The schema of the response to a read of an item; without a read, the schema of the items in the list. */
function schemaOfItem(item: Node, collection: Node, follow: Follow): Node {
  const read = successSchema(item['get'], follow)
  return toRecord(read ?? itemsOf(successSchema(collection['get'], follow), follow))
}

function itemPath({ path, id }: Addressed): string {
  return id === undefined ? path : `${path}/{id}`
}

/** A path without the names of the parameters that are whole steps. */
function shapeOf(path: string): string {
  return path
    .split('/')
    .map((step) => (/^\{[^{}]+\}$/.test(step) ? '{}' : step))
    .join('/')
}
