/** The items of a resource that a check uses, and what the target shows of them. */
import {
  type Action,
  type Item,
  isStated,
  type ModelState,
  operations,
  type Resource,
  type StatedOperation,
} from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { call } from '../../exchange/call.ts'
import type { CheckContext, Fixtures, Need } from '../../exchange/check.ts'
import { need, Skip } from '../../exchange/failure.ts'
import { type FixtureName, fixturesOf } from '../../exchange/resources.ts'
import { jsonOf, prepared } from '../../exchange/response.ts'
import { changedFields, valueUnderAnotherName } from '../../rules/state/fields.ts'

/** The items of a check. Most checks write only to the first of `own`; all other items must then stay as they are. */
export interface Items {
  readonly resource: Resource
  /** Ids of the items to observe: those that the suite may change. */
  readonly own: readonly string[]
  /** Ids of the items that contain these, the outermost first. */
  readonly within: readonly string[]
}

/** The fixtures that a check of an operation needs, and those that it uses if they are there. */
export function itemNeeds({ resource }: StatedOperation): { needs: readonly Need[]; uses: readonly Need[] } {
  const names = fixturesOf(resource)
  const isUploaded = changesOf(resource).some(({ requestBody }) => requestBody?.content['application/octet-stream'])
  const needs = [...(names?.own.slice(0, 1) ?? []), ...(isUploaded ? (['watermarkFile'] as const) : [])]
  return { needs, uses: names ? [...names.own.slice(1), ...names.others] : [] }
}

/**
 * Returns the items of the fixtures that the suite may change; undefined if the resource has no fixtures. The same id under two names is
 * one item.
 *
 * @throws Skip if the first fixture of the resource is missing
 */
export function itemsOfFixtures(resource: Resource, fixtures: Fixtures): Items | undefined {
  const names = fixturesOf(resource)
  if (!names) return undefined
  need(fixtures[names.own[0]], names.own[0])
  return { resource, own: idsOf(names.own, fixtures), within: [] }
}

function idsOf(names: readonly FixtureName[], fixtures: Fixtures): string[] {
  return [...new Set(names.flatMap((name) => fixtures[name] ?? []))]
}

/** The operations that change a resource. */
export function changesOf(resource: Resource): readonly StatedOperation[] {
  return operations
    .filter(isStated)
    .filter((operation) => operation.resource === resource && !['read', 'list'].includes(operation.action.kind))
}

/** The resources of the management interface whose items are in the fixtures. */
export const resourcesWithFixtures: readonly Resource[] = [
  ...new Set(operations.filter(isStated).map(({ resource }) => resource)),
].filter((resource) => fixturesOf(resource)?.interface === 'management')

/** The reads that show a resource: of an item, and of its list. */
function readsOf(resource: Resource): readonly StatedOperation[] {
  const all = operations.filter(isStated).filter((operation) => operation.resource === resource)
  return all.filter(({ action }) => action.kind === 'read' || action.kind === 'list')
}

/** The operation that reads an item: alone, or else in the list of all items. */
export function readOf(resource: Resource): StatedOperation | undefined {
  const reads = readsOf(resource)
  return reads.find(({ action }) => action.kind === 'read') ?? reads[0]
}

/** Returns the operation that lists the items of a resource; undefined if the resource has no list. */
export function listOf(resource: Resource): StatedOperation | undefined {
  return readsOf(resource).find(({ action }) => action.kind === 'list')
}

/** Maximum number of pages that are read of a list. */
const maxPages = 1_000

/** Lists all items of a collection, page by page. */
export async function listItems(context: CheckContext, list: StatedOperation, items: Items): Promise<readonly Item[]> {
  const all: Item[] = []
  const isPaged = list.parameters.some(({ in: place, name }) => place === 'query' && name === 'page')
  for (let page = 1; page <= maxPages; page++) {
    const query = page === 1 ? {} : { page: String(page) }
    const response = await call(context, list, { path: pathOf(list, items), query })
    const { entries = [], hasMore } = pageIn(jsonOf(prepared(response, `listing each ${items.resource.name}`)))
    all.push(...entries)
    if (!isPaged || !hasMore || entries.length === 0) return all
  }
  throw new Skip(`the list of each ${items.resource.name} has more than ${maxPages} pages`)
}

/** The items in the body of a list, and whether further pages follow. `entries` is undefined if the body holds no list. */
export function pageIn(body: unknown): { readonly entries: readonly Item[] | undefined; readonly hasMore: boolean } {
  const fields = Object.entries(toRecord(body))
  const entries: unknown[] | undefined = Array.isArray(body)
    ? body
    : fields.map(([, value]) => value).find(Array.isArray)
  const hasMore = fields.some(([name, value]) => /^has_?more/i.test(name) && value === true)
  return { entries: entries?.map(toRecord), hasMore }
}

/** The path parameters of an operation, in the order of its path: the containing items, then the item. */
export function pathOf(
  { path }: Pick<StatedOperation, 'path'>,
  { within }: Items,
  id?: string,
): Record<string, string> {
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
  const values = [...within, ...(id === undefined ? [] : [id])]
  return Object.fromEntries(
    names.flatMap((name, index) => (values[index] === undefined ? [] : [[name, values[index]]])),
  )
}

/**
 * Reads all items of a check. The state has the id of each item that exists, and those fields that operations change.
 *
 * @throws Skip if a read is refused with another status than 404 or 410, or if an item does not show such a field
 */
export async function observe(context: CheckContext, items: Items): Promise<ModelState> {
  const { resource } = items
  const read = need(readOf(resource), `operation that reads a ${resource.name}`)
  if (read.action.kind === 'list') return observeIn(context, read, items)
  const readOne = async (id: string): Promise<Item[]> => {
    const response = await call(context, read, { path: pathOf(read, items, id) })
    if (response.status === 404 || response.status === 410) return []
    return [itemIn(toRecord(jsonOf(prepared(response, `reading the ${resource.name}`))), resource, id)]
  }
  // All at once: a run reads thousands of items, and a platform may be far away.
  const results = await Promise.allSettled(items.own.map(readOne))
  const found = results.flatMap((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
  return stateOf(items, found)
}

/** Reads all items of a check in the list of the resource. */
export async function observeIn(context: CheckContext, list: StatedOperation, items: Items): Promise<ModelState> {
  const { resource, own } = items
  const entries = await listItems(context, list, items)
  const seen = own.flatMap((id) => {
    const entry = entries.find((each) => String(each[resource.id ?? '']) === id)
    return entry ? [itemIn(entry, resource, id)] : []
  })
  return stateOf(items, seen)
}

function itemIn(record: Item, resource: Resource, id: string): Item {
  const values = changedFields(resource).map((name) => {
    const { [name]: schema = {} } = resource.fields
    const value = record[name] === undefined ? valueUnderAnotherName(record, name, schema) : record[name]
    if (value === undefined) throw new Skip(`the record of the ${resource.name} does not show its ${name}`)
    // A list without values may be null. Only the values of a list of objects are compared: the server adds their other fields.
    const member = memberOf(resource, name)
    const shown = value ?? (schema.items ? [] : null)
    const valueIn = (entry: unknown) => (member === undefined ? entry : { [member]: toRecord(entry)[member] })
    return [name, Array.isArray(shown) ? shown.map(valueIn) : shown] as const
  })
  return { ...Object.fromEntries(values), ...(resource.id !== undefined && { [resource.id]: id }) }
}

/** The field that holds the value in each object of a list; undefined if the list holds plain values. */
function memberOf(resource: Resource, field: string): string | undefined {
  return changesOf(resource)
    .map(({ action }) => ('member' in action && action.field === field ? action.member : undefined))
    .find((member) => member !== undefined)
}

/** An addition to a list, or a removal from it. */
export type ListAction = Extract<Action, { readonly kind: 'add' | 'remove' }>

/** The values of the list that an operation changes. A list that is null is empty. */
export function valuesIn(item: Item | undefined, action: ListAction): readonly unknown[] {
  const list = item?.[action.field]
  const { member } = action
  const values = Array.isArray(list) ? list : []
  return member === undefined ? values : values.map((each) => toRecord(each)[member])
}

/** The state of a collection that holds these items, with the items that contain it. */
export function stateOf({ resource, within }: Items, all: readonly Item[]): ModelState {
  const ids = [...within]
  const path = resource.path.replace(/\{[^{}]+\}/g, () => encodeURIComponent(ids.shift() ?? ''))
  const { parent } = resource
  const outer = parent && { resource: parent, own: [], within: within.slice(0, -1) }
  return { ...(outer && stateOf(outer, [{ [parent.id ?? '']: within.at(-1) }])), [path]: all }
}
