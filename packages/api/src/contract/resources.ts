import { followReference } from '@cdn/kit/reference'
import type {
  Action,
  InterfaceName,
  Method,
  OpenApi,
  OpenApiOperation,
  PathItem,
  Resource,
  Schema,
  Source,
  StatedChange,
} from './model.ts'

/**
 * Parses the resources of an interface (`x-resource`). An unreviewed statement of an import (`x-assumed`) is left out, because it
 * permits nothing.
 *
 * @param document the OpenAPI document without the supplement: a resource that it states has the source `spec`
 * @param full the same document with the supplement
 * @returns the resources, each after its parent
 */
export function resourcesOf(name: InterfaceName, document: OpenApi, full: OpenApi): Resource[] {
  const stated = Object.entries(full.paths).flatMap(([path, item]) => {
    const statement = item['x-assumed']?.includes('x-resource') ? undefined : item['x-resource']
    return statement ? [{ path, item, statement }] : []
  })
  const resources: Resource[] = []
  for (const { path, item, statement } of stated.sort((a, b) => steps(a.path).length - steps(b.path).length)) {
    const all = steps(path)
    const own = isParameter(all.at(-1)) ? all.slice(0, -1) : all
    const schema = schemaOfItem(full, item, full.paths[`/${own.join('/')}`])
    const parent = resources.findLast((other) => isBelow(other, path) && other.id !== undefined)
    resources.push({
      ...statement,
      interface: name,
      path: `/${own.join('/')}`,
      schema,
      fields: fieldsOf(full, schema),
      source: document.paths[path]?.['x-resource'] ? 'spec' : 'supplement',
      ...(parent && { parent }),
    })
  }
  return resources
}

/** An operation as the document states it, with its place. */
interface Stated {
  readonly path: string
  readonly method: Method
  readonly operation: OpenApiOperation
  /** The operation in the layer of the spec. */
  readonly documented?: OpenApiOperation | undefined
}

/**
 * Finds what an operation reads or changes. A `get` on the path of a resource reads an item, a `get` on the path of its
 * collection lists the items; every other operation states its change (`x-change`).
 *
 * @returns the resource and the action; empty if the contract states none, or shows no field that makes the change visible
 */
export function actionOf(
  resources: readonly Resource[],
  { path, method, operation, documented }: Stated,
): { resource?: Resource; action?: Action } {
  const onCollection = resources.find((resource) => sameShape(steps(resource.path), steps(path)))
  const resource = onCollection ?? resources.findLast((other) => isBelow(other, path))
  if (!resource) return {}
  const source = documented ? 'spec' : 'supplement'
  const change = operation['x-assumed']?.includes('x-change') ? undefined : operation['x-change']
  if (change !== undefined) {
    const action = toAction(resource, change, documented?.['x-change'] ? 'spec' : 'supplement')
    return action ? { resource, action } : {}
  }
  if (method !== 'get') return {}
  if (onCollection) return { resource, action: { kind: resource.id === undefined ? 'read' : 'list', source } }
  return steps(path).length === steps(resource.path).length + 1 ? { resource, action: { kind: 'read', source } } : {}
}

function toAction({ fields }: Resource, change: StatedChange, source: Source): Action | undefined {
  if (typeof change === 'string') return { kind: change, source }
  if ('set' in change) {
    const set = Object.entries(change.set).map(([name, value]) => [fieldNamed(fields, name) ?? '', value] as const)
    return set.every(([field]) => field) ? { kind: 'set', fields: Object.fromEntries(set), source } : undefined
  }
  const isAdd = 'add' in change
  const field = fieldNamed(fields, isAdd ? change.to : change.from)
  return field
    ? { kind: isAdd ? 'add' : 'remove', value: isAdd ? change.add : change.remove, field, source }
    : undefined
}

/** Finds a field by its name, or by what it shows (`x-shows`): the spec may state an effect without the field that shows it. */
function fieldNamed(fields: Resource['fields'], name: string): string | undefined {
  return Object.keys(fields).find((field) => field === name || fields[field]?.['x-shows'] === name)
}

/** The schema of an item, from the response of its `get`, otherwise from the list of its collection. */
function schemaOfItem(api: OpenApi, item: PathItem, collection: PathItem | undefined): Schema {
  const read = successSchema(api, item.get)
  const listed = itemsOf(api, successSchema(api, collection?.get))
  return (item === collection ? listed : undefined) ?? read ?? listed ?? {}
}

function successSchema(api: OpenApi, operation: OpenApiOperation | undefined): Schema | undefined {
  const status = Object.keys(operation?.responses ?? {}).find((each) => each.startsWith('2'))
  const response = status === undefined ? undefined : followReference(api, operation?.responses[status])
  return response?.content?.['application/json']?.schema
}

/**
 * Finds the schema of the items in the response of a list: an array, a page with an array, or a choice of these.
 *
 * @param api the document that the schema's references point into
 * @returns undefined if the schema is not that of a list
 */
export function itemsOf(api: object, schema: Schema | undefined): Schema | undefined {
  if (!schema) return undefined
  const node = followReference(api, schema)
  if (node.items) return node.items
  const choice = [...(node.oneOf ?? []), ...(node.anyOf ?? [])].map((each) => itemsOf(api, each)).find(Boolean)
  return choice ?? Object.values(fieldsOf(api, node)).find((field) => field.items)?.items
}

/** The properties of a schema, with those of its parts (`allOf`). References to the schemas of the properties are followed. */
export function fieldsOf(api: object, schema: Schema): Record<string, Schema> {
  const node = followReference(api, schema)
  const own = Object.entries(node.properties ?? {}).map(([name, each]) => [name, followReference(api, each)] as const)
  return { ...Object.assign({}, ...(node.allOf ?? []).map((part) => fieldsOf(api, part))), ...Object.fromEntries(own) }
}

/** Splits a path template at its slashes. */
function steps(path: string): string[] {
  return path.split('/').slice(1)
}

function isParameter(step: string | undefined): boolean {
  return step !== undefined && /^\{[^{}]+\}$/.test(step)
}

/** Whether a path leads to an item or a part of it. The names of parameters do not matter: `/dnszone/{id}`, `/dnszone/{zoneId}/records`. */
function isBelow(resource: Resource, path: string): boolean {
  const own = [...steps(resource.path), ...(resource.id === undefined ? [] : ['{id}'])]
  const other = steps(path)
  return other.length >= own.length && sameShape(own, other.slice(0, own.length))
}

function sameShape(a: readonly string[], b: readonly string[]): boolean {
  return (
    a.length === b.length && a.every((step, index) => step === b[index] || (isParameter(step) && isParameter(b[index])))
  )
}
