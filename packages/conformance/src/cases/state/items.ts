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
import { requireOrSkip, Skip } from '../../exchange/failure.ts'
import { type FixtureName, fixturesOf } from '../../exchange/resources.ts'
import { jsonOf, successOrSkip } from '../../exchange/response.ts'
import { requiredParameters } from '../../exchange/schema-example.ts'
import { pageOf } from '../../rules/state/registers.ts'

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
  requireOrSkip(fixtures[names.own[0]], names.own[0])
  return { resource, own: idsOf(names.own, fixtures), within: [] }
}

/** The ids of fixtures, each once. */
export function idsOf(names: readonly FixtureName[], fixtures: Fixtures): string[] {
  return [...new Set(names.flatMap((name) => fixtures[name] ?? []))]
}

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

/**
 * Lists all items of a collection, page by page; none if the item that contains the collection is gone.
 *
 * @throws Skip if no operation lists them, or if the target refuses it
 */
export async function listItems(context: CheckContext, items: Items): Promise<readonly Item[]> {
  const { name } = items.resource
  const list = listOf(items.resource)
  if (!list) throw new Skip(`no operation lists each ${name}`)
  const all: Item[] = []
  const isPaged = list.parameters.some(({ in: place, name }) => place === 'query' && name === 'page')
  for (let page = 1; page <= maxPages; page++) {
    const query = { ...requiredParameters(list), ...(page > 1 && { page: String(page) }) }
    const response = await call(context, list, { path: pathOf(list, items), query })
    if (response.status === 404 && items.within.length > 0) return all
    const { items: shown = [], hasMore } = pageOf(jsonOf(successOrSkip(response, `listing each ${name}`)))
    all.push(...shown)
    if (!isPaged || !hasMore || shown.length === 0) return all
  }
  throw new Skip(`the list of each ${name} has more than ${maxPages} pages`)
}

/**
 * Reads the items with an id, alone or else in their list: none, one, or more if the list shows the id several times.
 *
 * @throws Skip if no operation reads them, or if the target refuses it with another status than 404 or 410
 */
export async function readItems(context: CheckContext, items: Items, id: string): Promise<readonly Item[]> {
  const { resource } = items
  const read = requireOrSkip(readOf(resource), `operation that reads a ${resource.name}`)
  if (read.action.kind === 'list') return (await listItems(context, items)).filter((item) => idIn(item, items) === id)
  const response = await call(context, read, { path: pathOf(read, items, id) })
  if (response.status === 404 || response.status === 410) return []
  return [toRecord(jsonOf(successOrSkip(response, `reading the ${resource.name}`)))]
}

export function idIn(item: Item, { resource }: Items): string {
  return String(item[resource.id ?? ''])
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
