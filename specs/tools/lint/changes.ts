import { createValidators } from '@cdn/kit/contract-validator'
import { toRecord } from '@cdn/kit/record'
import {
  type Follow,
  fieldNamed,
  fieldsOf,
  findResources,
  jsonSchema,
  resourceAt,
  type StatedResource,
} from '@cdn/kit/resources'
import type { Location, Rule, RuleContext } from './rules.ts'

type Node = Readonly<Record<string, unknown>>
const validatorOf = createValidators(false)
interface LocatedNode {
  readonly node: Node
  readonly location: Location
}

/**
 * `x-resource` and `x-change` fit the paths, bodies and fields that they name. A change of a list or of fields is not checked if no
 * path states its resource, because the supplement may state that path.
 */
export const changes: Rule = () => {
  const targets = new Map<unknown, unknown>()
  const follow = (node: unknown) => targets.get(node) ?? node
  const resources: LocatedNode[] = []
  const operations: (LocatedNode & { readonly path: string })[] = []
  return {
    // Redocly calls `ref` with each reference and its target.
    ref(node: unknown, _context: RuleContext, { node: target }: { node: unknown }) {
      targets.set(node, target)
    },
    PathItem(item: Node, { key, location }: RuleContext) {
      const path = String(key)
      if (item['x-resource'] !== undefined) resources.push({ node: item, location: location.child('x-resource') })
      for (const method of ['get', 'put', 'post', 'patch', 'delete'])
        operations.push({ node: toRecord(item[method]), location: location.child([method, 'x-change']), path })
    },
    Root: {
      leave({ paths }: { paths?: Node }, { report }: RuleContext) {
        const found = findResources(toRecord(paths), follow)
        for (const { node, location } of resources) {
          const resource = found.find(({ at }) => follow(paths?.[at]) === node)
          const message = resource && faultOfResource(resource, found)
          if (message) report({ message, location })
        }
        for (const { node, location, path } of operations) {
          const message = node['x-change'] === undefined ? undefined : faultOfChange(node, path, found, follow)
          if (message) report({ message, location })
        }
      },
    },
  }
}

function faultOfResource({ at, name, id, fields }: StatedResource, all: readonly StatedResource[]): string | undefined {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) return `\`${name}\` is not kebab-case, such as \`pull-zone\`.`
  if (all.some((other) => other.at !== at && other.name === name))
    return `\`${name}\` is already the name of another resource; names are unique.`
  if (id === undefined && at.endsWith('}')) return 'A path of an item needs `id`: the field with the id.'
  return id === undefined ? undefined : faultOfField(id, fields)
}

function faultOfChange(operation: Node, path: string, resources: readonly StatedResource[], follow: Follow) {
  const { 'x-change': stated, 'x-effect': effect, requestBody } = operation
  if (effect === 'read') return 'An operation with `x-effect: read` changes nothing; remove `x-change`.'
  const { resource, place } = resourceAt(resources, path) ?? {}
  if (typeof stated === 'string') return faultOfPlace(stated, path, place)
  if (!resource) return undefined
  const { add, to, remove, from, set } = toRecord(stated)
  if (set !== undefined) {
    const faults = Object.entries(toRecord(set)).map(
      ([name, value]) => faultOfField(name, resource.fields) ?? faultOfValue(name, value, resource.fields),
    )
    return faults.length > 0 ? faults.find(Boolean) : '`set` is empty; name a field and its value afterwards.'
  }
  const [value, list, word] = add === undefined ? [remove, from, 'from'] : [add, to, 'to']
  if (list === undefined) return `\`${word}\` is missing: the list of the item.`
  const body = fieldsOf(jsonSchema(follow(requestBody)), follow)
  if (!Object.hasOwn(body, String(value))) return `The request body has no field \`${value}\`${listed(body)}.`
  return faultOfList(String(list), resource, follow)
}

const places: Readonly<Record<string, readonly string[]>> = {
  create: ['collection'],
  delete: ['item'],
  merge: ['item', 'document'],
  replace: ['item', 'document'],
}

/** Returns a sentence if a change of a whole resource is on a wrong path. */
function faultOfPlace(change: string, path: string, place: string | undefined): string | undefined {
  const expected = places[change]
  if (!expected || expected.includes(place ?? '')) return undefined // `struct` reports an unknown word
  const item = change === 'create' ? `${path}/{id}` : path
  return place
    ? `\`${change}\` belongs to the path of ${expected.map((each) => `the ${each}`).join(' or ')}, not to this path.`
    : `\`${change}\` needs the resource: state \`x-resource\` on the path \`${item}\`.`
}

/** @param list a field of the item, such as `Hostnames`, or a field of the objects in it, such as `Hostnames/Value` */
function faultOfList(list: string, { fields }: StatedResource, follow: Follow): string | undefined {
  const [name = '', member] = list.split('/')
  const field = fieldNamed(fields, name)
  if (field === undefined) return faultOfField(name, fields)
  const items = fields[field]?.['items']
  if (!items) return `The field \`${name}\` is not a list.`
  const members = fieldsOf(items, follow)
  if (member === undefined || Object.hasOwn(members, member)) return undefined
  return `The objects in \`${name}\` have no field \`${member}\`${listed(members)}.`
}

/** Returns a sentence if no response shows the field of the item. If no response shows any field, every name is permitted. */
function faultOfField(name: string, fields: StatedResource['fields']): string | undefined {
  if (Object.keys(fields).length === 0 || fieldNamed(fields, name)) return undefined
  return `In the responses, the item has no field \`${name}\`${listed(fields)}.`
}

/** Returns a sentence if a value does not fit the field that it is set to. */
function faultOfValue(name: string, value: unknown, fields: StatedResource['fields']): string | undefined {
  const field = fieldNamed(fields, name)
  const { type, enum: values, ...rest } = (field !== undefined && fields[field]) || {}
  const schema = { ...(type !== undefined && { type }), ...(values !== undefined && { enum: values }) }
  if (rest['x-shows'] !== undefined || validatorOf(schema, {})(value)) return undefined
  return `\`${name}\` is set to ${JSON.stringify(value)}, which does not fit its schema ${JSON.stringify(schema)}.`
}

function listed(fields: object): string {
  const names = Object.keys(fields)
  return names.length > 0 ? `; its fields are ${names.map((name) => `\`${name}\``).join(', ')}` : ''
}
