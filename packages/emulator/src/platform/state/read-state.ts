import { contracts, findItem, type Item, type ModelState, type Resource } from '@cdn/api/contract'
import { defined } from '@cdn/kit/defined'
import { isRecord } from '@cdn/kit/record'
import { toNumbers, validatorOf } from '../validation.ts'
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
    if (!findItem(whole[collection] ?? [], defined(parent.id), decodeURIComponent(defined(steps[length]))))
      throw new RangeError(`Invalid state: ${path} belongs to an item that ${collection} does not have.`)
  }
  return state
}

function readItems(path: string, items: unknown, { complete }: Pick<Resources, 'complete'>): readonly Item[] {
  const resource = resourceOfPath(path)
  if (!resource)
    throw new RangeError(`Invalid state: unknown collection ${path}; expected one of ${resourcePaths().join(', ')}.`)
  if (!Array.isArray(items)) throw new RangeError(`Invalid state: ${path} must be a list of items.`)
  const ids = new Set<string>()
  return items.map((item: unknown, index) => {
    const at = `${path}[${index}]`
    const fault = faultOf(item, resource, ids)
    if (fault !== undefined || !isRecord(item))
      throw new RangeError(`Invalid state: ${at} ${fault ?? 'must be an object'}.`)
    const whole = complete(item, resource, [])
    const validate = validatorOf(resource.schema, contracts[resource.interface].openapi.full)
    if (!validate(toNumbers(whole))) {
      const { instancePath, message } = defined(validate.errors?.[0])
      throw new RangeError(`Invalid state: ${at}${instancePath.replaceAll('/', '.')} ${message}.`)
    }
    return whole
  })
}

/** Checks the names of the fields and the id. Adds the id to `ids`. */
function faultOf(item: unknown, { id, fields }: Resource, ids: Set<string>): string | undefined {
  if (!isRecord(item)) return undefined
  const names = Object.keys(fields)
  const unknown = Object.keys(item).find((name) => names.length > 0 && !Object.hasOwn(fields, name))
  if (unknown !== undefined)
    return `has an unknown field ${JSON.stringify(unknown)}; its fields are ${names.join(', ')}`
  if (id === undefined) return undefined
  const value = item[id]
  if (value === undefined || value === null || typeof value === 'object') return `has no ${id}`
  if (ids.has(String(value))) return `has the ${id} of an earlier item`
  ids.add(String(value))
  return undefined
}
