import { contracts, findItem, type Item, type ModelState, type Resource, type Schema } from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { decodePercent } from '@cdn/kit/percent'
import { isRecord } from '@cdn/kit/record'
import { checkValue, toNumbers, validatorOf } from '../../contract/validation.ts'
import { type Resources, resourceOfPath, resourcePaths } from './resources.ts'

/**
 * Reads collections in the form of `GET /_emulator/state`: `{"resources": {"/pullzone": [{"Id": 1, ...}]}}`. An item gets plain
 * values for the fields that it omits.
 *
 * @param value the parsed file or body; keys other than `resources` are ignored
 * @returns the collections, to replace those with the same paths
 * @throws RangeError in one sentence: the first fault, with its place
 */
export function readState(value: unknown, resources: Pick<Resources, 'all' | 'complete'>): ModelState {
  const stated = isRecord(value) ? value['resources'] : undefined
  if (!isRecord(stated))
    throw new RangeError('Invalid state: expected {"resources": {"/<collection>": [<item>, ...]}}.')
  const state: ModelState = Object.fromEntries(
    Object.entries(stated).map(([path, items]) => [path, readItems(path, items, resources)]),
  )
  const whole = { ...resources.all, ...state }
  for (const path of Object.keys(state)) {
    const parent = resourceOfPath(path)?.parent
    if (!parent) continue
    const steps = path.split('/')
    const { length } = parent.path.split('/')
    const collection = steps.slice(0, length).join('/')
    const step = assertDefined(steps[length])
    if (!findItem(whole[collection] ?? [], assertDefined(parent.id), decodePercent(step) ?? step))
      throw new RangeError(`Invalid state: ${path} belongs to an item that ${collection} does not have.`)
  }
  return state
}

function readItems(path: string, items: unknown, { complete }: Pick<Resources, 'complete'>): readonly Item[] {
  const resource = resourceOfPath(path)
  if (!resource)
    throw new RangeError(`Invalid state: unknown collection ${path}; expected one of ${resourcePaths().join(', ')}.`)
  const { id } = resource
  const list = checkValue<readonly Item[]>(assertDefined(listSchemas.get(resource)), items, `Invalid state: ${path}`)
  const ids = new Set<string>()
  return list.map((item, index) => {
    const at = `Invalid state: ${path}[${index}]`
    if (id !== undefined && ids.size === ids.add(String(item[id])).size)
      throw new RangeError(`${at} has the ${id} of an earlier item.`)
    const whole = complete(item, resource, [])
    const validate = validatorOf(resource.schema, contracts[resource.interface].openapi.full)
    if (!validate(toNumbers(whole))) {
      const { instancePath, message } = assertDefined(validate.errors?.[0])
      throw new RangeError(`${at}${instancePath.replaceAll('/', '.')} ${message}.`)
    }
    return whole
  })
}

/** The JSON schema of a list of items, by resource. It refuses unknown fields, and items without an id. */
const listSchemas = new Map(
  Object.values(contracts).flatMap(({ resources }) =>
    resources.map((resource): [Resource, Schema] => [resource, { type: 'array', items: itemSchemaOf(resource) }]),
  ),
)

function itemSchemaOf({ id, fields }: Resource): Schema {
  const properties = Object.fromEntries(Object.keys(fields).map((name) => [name, {}]))
  const closed = Object.keys(fields).length > 0 && { additionalProperties: false, properties }
  return { type: 'object', ...(id !== undefined && { required: [id] }), ...closed }
}
