import {
  apply,
  type Complete,
  collectionOf,
  contracts,
  findItem,
  type Item,
  type ModelRequest,
  type ModelState,
  type OpenApi,
  type PredictedOutcome,
  type Resource,
  type Schema,
  type StatedOperation,
  sampleOf,
  withChange,
} from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { toRecord } from '@cdn/kit/record'
import { followReference } from '@cdn/kit/reference'
import type { EmulatorClock } from '../clock.ts'

/** The first id that an item without an id gets. */
const firstId = 10_001

/** The items of the platform's resources, by the path of their collection. */
export interface Resources {
  /** All items. To replace them, assign another state. */
  all: ModelState
  /** Returns one item of a collection with ids, such as `/pullzone`; undefined if it does not exist. */
  item(path: string, id: string): Item | undefined
  /** Changes fields of an item. @throws Error if the item does not exist */
  change(path: string, id: string, fields: Item): void
  add(path: string, items: readonly Item[]): void
  remove(path: string, id: string): void
  /** Predicts a request. The caller chooses an outcome and assigns its state to `all`. */
  outcomes(operation: StatedOperation, request: ModelRequest): readonly PredictedOutcome[]
  /** Completes an item: a new id if it has none, and plain values for the fields that it omits. */
  readonly complete: Complete
  /** Replaces collections of the initial state, and restores that state. */
  start(state: ModelState): void
  /** Restores the initial state. */
  reset(): void
}

const known = Object.values(contracts)
  .flatMap(({ resources }) => resources)
  .map((resource) => ({ resource, pattern: new RegExp(`^${resource.path.replaceAll(/\{[^{}]+\}/g, '[^/]+')}$`) }))

/** Returns the paths of the collections and documents of the contract, with placeholders such as `{id}`. */
export function resourcePaths(): string[] {
  return known.map(({ resource }) => resource.path)
}

/** Returns the resource of a collection path such as `/dnszone/7/records`; undefined if the contract states none. */
export function resourceOfPath(path: string): Resource | undefined {
  return known.find(({ pattern }) => pattern.test(path))?.resource
}

/**
 * Creates the plainest value that a schema permits: its default, null, false, the smallest number, an empty list, or an object with
 * all fields.
 *
 * @param api the document that the references of the schema point into
 * @param now the value of a date
 */
export function blankOf(schema: Schema, api: OpenApi, now: Date): unknown {
  const style = { host: 'sample.invalid', now, text: () => '', isBlank: true }
  return sampleOf(schema, (node) => followReference(api, node), style)
}

/** Creates an item with all fields that the contract states, each with its plainest value. */
export function blankItem({ interface: name, schema }: Resource, now: Date): Item {
  return toRecord(blankOf({ ...schema, type: 'object' }, contracts[name].openapi.full, now))
}

/**
 * Creates the resources of an emulator.
 *
 * @param initial the items of a fresh emulator
 */
export function createResources(initial: ModelState, clock: EmulatorClock): Resources {
  let nextId = firstId
  let fresh = initial
  const idFieldOf = (path: string) => assertDefined(resourceOfPath(path)?.id)
  const newId = (field: string, { fields }: Resource, items: readonly Item[]) => {
    while (findItem(items, field, String(nextId))) nextId++
    const { type, format } = toRecord(fields[field])
    if ([type].flat().includes('integer')) return nextId++
    return format === 'uuid' ? `00000000-0000-4000-8000-${String(nextId++).padStart(12, '0')}` : String(nextId++)
  }
  const complete: Complete = (fields, resource, items) => {
    const { id } = resource
    const sample = blankItem(resource, clock.now())
    const isNew = id !== undefined && fields[id] === undefined
    return { ...sample, ...fields, ...(isNew && { [id]: newId(id, resource, items) }) }
  }
  const resources: Resources = {
    all: initial,
    complete,
    item: (path, id) => findItem(resources.all[path] ?? [], idFieldOf(path), id),
    change(path, id, fields) {
      const item = assertDefined(resources.item(path, id))
      const items = assertDefined(resources.all[path])
      const changed = withChange(items, idFieldOf(path), item, { ...item, ...fields })
      resources.all = { ...resources.all, [path]: changed }
    },
    add(path, items) {
      resources.all = { ...resources.all, [path]: [...(resources.all[path] ?? []), ...items] }
    },
    remove(path, id) {
      const items = resources.all[path] ?? []
      resources.all = { ...resources.all, [path]: items.filter((each) => each !== resources.item(path, id)) }
    },
    outcomes(operation, request) {
      const { resource } = operation
      if (resource.id !== undefined) return apply(resources.all, operation, request, complete)
      // A document always exists. It has plain values until something sets others.
      const path = collectionOf(operation, request.path)
      const state = { [path]: [complete({}, resource, [])], ...resources.all }
      return apply(state, operation, request, complete)
    },
    start(state) {
      fresh = { ...fresh, ...state }
      resources.all = fresh
    },
    reset() {
      resources.all = fresh
    },
  }
  return resources
}
