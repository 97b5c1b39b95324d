import { followReference } from '@cdn/kit/reference'
import { fieldNamed, fieldsOf, findResources, isBelow, jsonSchema, resourceAt } from '@cdn/kit/resources'
import type {
  Action,
  InterfaceName,
  Method,
  OpenApi,
  OpenApiOperation,
  Resource,
  Schema,
  StatedChange,
} from './model.ts'
import { plainSchema } from './sample.ts'

/**
 * Parses the resources of an interface (`x-resource`).
 *
 * @param spec the OpenAPI document without the supplement: a resource that it states has the source `spec`
 * @param full the same document with the supplement
 * @returns the resources, each after its parent
 */
export function resourcesOf(name: InterfaceName, spec: OpenApi, full: OpenApi): Resource[] {
  const resources: Resource[] = []
  for (const { at, ...stated } of findResources(full.paths, (node) => followReference(full, node))) {
    const parent = resources.findLast((other) => other.id !== undefined && isBelow(other, at))
    const source = spec.paths[at]?.['x-resource'] ? 'spec' : 'supplement'
    const plain = Object.entries(stated.fields).map(([field, schema]) => [field, plainIn(full, schema)])
    const fields: Resource['fields'] = Object.fromEntries(plain)
    resources.push({ ...stated, fields, interface: name, source, ...(parent && { parent }) })
  }
  return resources
}

interface Stated {
  readonly api: OpenApi
  readonly path: string
  readonly method: Method
  readonly operation: OpenApiOperation
  /** The operation as the spec alone states it. */
  readonly spec?: OpenApiOperation | undefined
}

/**
 * Finds what an operation reads or changes. An `x-change` states a change. Without it, a `get` on the path of an item or document
 * reads it, and a `get` on the path of a collection lists the items.
 *
 * @returns the resource and the action; empty if the contract states none, or shows no field that makes the change visible
 */
export function actionOf(resources: readonly Resource[], stated: Stated): { resource?: Resource; action?: Action } {
  const { path, method, operation, spec } = stated
  const { resource, place } = resourceAt(resources, path) ?? {}
  if (!resource) return {}
  const change = operation['x-change']
  const action =
    change !== undefined
      ? toAction(resource, change, stated)
      : method === 'get' && place !== 'part'
        ? ({ kind: place === 'collection' ? 'list' : 'read', source: spec ? 'spec' : 'supplement' } as const)
        : undefined
  return action ? { resource, action } : {}
}

function toAction({ fields }: Resource, change: StatedChange, { api, operation, spec }: Stated): Action | undefined {
  const source = spec?.['x-change'] ? 'spec' : 'supplement'
  if (change === 'delete') return { kind: change, source }
  if (typeof change === 'string') {
    const follow = (node: unknown) => followReference(api, node)
    const body = fieldsOf(jsonSchema(follow(operation.requestBody)), follow)
    const isShown = (name: string) => fields[name] !== undefined && isSameForm(api, body[name] ?? {}, fields[name])
    const writable = Object.keys(body)
    const isOpen = Object.keys(fields).length === 0
    return { kind: change, writable, shown: isOpen ? writable : writable.filter(isShown), source }
  }
  if ('set' in change) {
    const set = Object.entries(change.set).map(([name, value]) => [fieldNamed(fields, name) ?? '', value] as const)
    return set.every(([field]) => field) ? { kind: 'set', fields: Object.fromEntries(set), source } : undefined
  }
  const isAdd = 'add' in change
  const [list = '', member] = (isAdd ? change.to : change.from).split('/')
  const field = fieldNamed(fields, list)
  const value = isAdd ? change.add : change.remove
  return field ? { kind: isAdd ? 'add' : 'remove', value, field, ...(member && { member }), source } : undefined
}

/** Maximum depth at which two schemas are compared. Deeper schemas refer to themselves, and count as equal. */
const maxDepth = 8

/**
 * Whether the item's schema permits every type of value that the body's schema permits. If not, the contract does not state which
 * value the item shows. Null for the whole field always fits, because it does not change a field that is never null.
 */
function isSameForm(api: OpenApi, sent: Schema, shown: Schema, depth = 0): boolean {
  const [one, other] = [plainIn(api, sent), plainIn(api, shown)]
  const types = [other.type ?? one.type ?? []].flat()
  const isShown = (type: string) =>
    types.includes(type) || (type === 'integer' && types.includes('number')) || (type === 'null' && depth === 0)
  const isSameBelow = (part: Schema = {}, at: Schema = {}) => depth === maxDepth || isSameForm(api, part, at, depth + 1)
  const { properties } = other
  return (
    [one.type ?? []].flat().every(isShown) &&
    isSameBelow(one.items, other.items) &&
    Object.entries(one.properties ?? {}).every(([name, part]) =>
      properties?.[name] ? isSameBelow(part, properties[name]) : other['additionalProperties'] !== false,
    )
  )
}

function plainIn(api: OpenApi, schema: Schema): Schema {
  return plainSchema(schema, (node) => followReference(api, node))
}
