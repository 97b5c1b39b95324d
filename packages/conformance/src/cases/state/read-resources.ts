/** Reads the state that writes may have changed. Every read is in the history, where the judge finds it. */
import { collectionOf, operations, type Resource, type StatedOperation } from '@cdn/api/contract'
import { call, type RequestParts, resultOrLost } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import type { Answered } from '../../exchange/exchange.ts'
import { Failure, ignoreSkip, LostResponse } from '../../exchange/failure.ts'
import type { HistoryEntry } from '../../exchange/history.ts'
import { fixturesOf } from '../../exchange/resources.ts'
import { successOrSkip } from '../../exchange/response.ts'
import { isWrite, itemKey, writeOf, writesOf } from '../../rules/state/registers.ts'
import { ownCollections } from './declared-state.ts'
import { changesOf, type Items, idsOf, listItems, listOf, pathOf, readOf, resourcesWithFixtures } from './items.ts'
import { requestOf } from './requests.ts'

/** How old a read of a live platform may be, in ms. The contract does not say when a read shows a change. */
export const oldestReadMs = 8_000

/** Maximum age of reads that the run allows for, in ms: 0 until a read proves to be old. */
export function ageOfReads(context: CheckContext): Promise<{ ms: number }> {
  return context.once('age of reads', async () => ({ ms: 0 }))
}

/** Reads everything before the first write of a run, and each list again: what differs between the reads changes on its own. */
export function readBeforeWrites(context: CheckContext): Promise<void> {
  return context.once('reads before the first write', async () => {
    await readResources(context)
    await readResources(context, { isOfLists: true })
  })
}

/** What to read: items and lists of some resources, or of all of them. */
export interface ResourceSelection {
  /** All by default. */
  readonly resources?: readonly Resource[]
  /** Whether to read only the items that the suite may change, and no list. */
  readonly isBrief?: boolean
  /** Whether to read only the lists, which show all items with few requests. */
  readonly isOfLists?: boolean
}

/** Reads the items of the fixtures and those that the suite created, alone and in their lists. A read that fails shows nothing. */
export async function readResources(
  context: CheckContext,
  { resources, isBrief = false, isOfLists = false }: ResourceSelection = {},
): Promise<void> {
  // Without sockets, a read of everything costs little, so each change has one suspect.
  const isWhole = !isBrief || context.virtualClock
  const isWanted = (resource: Resource) => context.virtualClock || !resources || resources.includes(resource)
  const fixed = resourcesWithFixtures.map((resource): Items => {
    const { own = [], others = [] } = fixturesOf(resource) ?? {}
    return { resource, own: idsOf([...own, ...(isWhole ? others : [])], context.fixtures), within: [] }
  })
  const all = [...fixed, ...createdItems(context)].filter(({ resource }) => isWanted(resource))
  const ignored = (error: unknown) => (error instanceof Failure ? undefined : ignoreSkip(error))
  await Promise.all(
    all.flatMap((items): Promise<unknown>[] => {
      const [list, read] = [listOf(items.resource), readOf(items.resource)]
      const isOfItems = read?.action.kind === 'read' && !(list && isOfLists && !context.virtualClock)
      const isOfList = list && (isWhole || isOfLists || !isOfItems)
      return [
        ...(isOfList ? [listItems(context, items)] : []),
        ...(isOfItems ? items.own.map((id) => call(context, read, { path: pathOf(read, items, id) })) : []),
      ].map((reading) => reading.catch(ignored))
    }),
  )
}

/** Reads the list of each written resource that was not listed after its last write. */
export async function readAfterWrites(context: CheckContext, entries: readonly HistoryEntry[]): Promise<void> {
  const written = new Set(entries.flatMap((entry) => (isWrite(entry) ? (entry.operation.resource ?? []) : [])))
  const resources = [...written].filter((resource) => {
    const own = entries.filter(({ operation }) => operation.resource === resource)
    return own.findLastIndex(({ operation }) => operation.action?.kind === 'list') < own.findLastIndex(isWrite)
  })
  if (resources.length > 0) await readResources(context, { resources, isOfLists: true })
}

/** The collections of the suite and those in its items, with the created items, except items deleted more than three writes ago. */
function createdItems({ history, virtualClock, fixtures }: CheckContext): Items[] {
  const alive = new Map<string, Items & { readonly id: string }>()
  const collections = new Map(ownCollections(fixtures).map((items) => [pathOfCollection(items), items]))
  const deleted = new Map<string, number>()
  const writes = writesOf(history, virtualClock)
  for (const [index, { entry, operation, force, target, effects }] of writes.entries()) {
    const { resource, action } = operation
    if (action.kind === 'delete' && force === 'must') deleted.set(`${target}/`, index)
    if (action.kind !== 'create') continue
    const within = Object.values(entry.path)
    const collection = collectionOf(operation, entry.path)
    collections.set(collection, { resource, own: [], within })
    const id = decodeURIComponent(target.slice(collection.length + 1))
    if (effects.length > 0 && force === 'must') alive.set(target, { resource, own: [], within, id })
  }
  // After a deletion, a read may still show the item, and a list the items in it.
  const isGone = (path: string) =>
    [...deleted].some(([outer, at]) => `${path}/`.startsWith(outer) && at < writes.length - 4)
  for (const key of [...alive.keys()].filter(isGone)) alive.delete(key)
  // The same collection in another item shows an item that was created in the wrong one.
  for (const [key, { resource, within, id }] of alive)
    for (const { resource: inner } of creations) {
      if (inner.parent !== resource) continue
      const path = `${key}/${inner.path
        .split('/')
        .slice(resource.path.split('/').length + 1)
        .join('/')}`
      collections.set(path, { resource: inner, own: [], within: [...within, id] })
    }
  const present = [...collections].filter(([path]) => !isGone(path))
  return present.map(([path, items]) => ({
    ...items,
    own: [...alive].flatMap(([key, { id }]) => (key === itemKey(path, id) ? [id] : [])),
  }))
}

function pathOfCollection(items: Items): string {
  const list = listOf(items.resource)
  return list ? collectionOf(list, pathOf(list, items)) : items.resource.path
}

const creations = operations.filter(
  (operation): operation is StatedOperation => operation.action?.kind === 'create' && operation.resource !== undefined,
)

/** Sends a write, and reads the items of its resource afterwards, so that the write is the only suspect of what the reads show. */
export async function sendAndRead(
  context: CheckContext,
  operation: StatedOperation,
  request: RequestParts,
): Promise<Answered> {
  // Without an earlier read, nothing shows what the request changes.
  const isRead = context.history.some((entry) => entry.operation.resource === operation.resource && !isWrite(entry))
  if (!isRead) await readResources(context, { resources: [operation.resource], isBrief: true })
  const response = await call(context, operation, request)
  if ((await ageOfReads(context)).ms === 0)
    await readResources(context, { resources: [operation.resource], isBrief: true })
  return response
}

/**
 * Brings an item into a state that a request changes: sends the operation with the opposite effect, if there is one.
 *
 * @returns whether it sent a request
 */
export async function sendOpposite(
  context: CheckContext,
  operation: StatedOperation,
  { path = {}, body }: Pick<RequestParts, 'path' | 'body'>,
): Promise<boolean> {
  const opposite = oppositeOf(operation)
  if (!opposite) return false
  const request = { path, body: 'value' in operation.action ? body : undefined }
  const target = itemKey(collectionOf(operation, path), Object.values(path).at(-1) ?? '')
  const last = context.history.findLast((entry) => {
    const write = writeOf(entry)
    // Ignore refused writes: they change nothing, or a read shows the change.
    return write?.target === target && write.force !== 'never'
  })
  const isPrepared = last?.operation === opposite && writeOf(last)?.force === 'must'
  if (isPrepared && !('value' in operation.action)) return false
  const response = await resultOrLost(
    call(context, opposite, await requestOf(context, { operation: opposite, request })),
  )
  if (!(response instanceof LostResponse)) successOrSkip(response, `preparing by ${opposite.name}`)
  return true
}

/**
 * Brings items into a state that the requests change, and reads them, so that the preparation is no suspect of what follows.
 *
 * @param isSent whether the preparation has already sent a write: the creation of an item
 */
export async function sendOpposites(
  context: CheckContext,
  operation: StatedOperation,
  requests: readonly Pick<RequestParts, 'path' | 'body'>[],
  isSent = false,
): Promise<void> {
  const sent = await Promise.all(requests.map((request) => sendOpposite(context, operation, request)))
  if ((isSent || sent.includes(true)) && (await ageOfReads(context)).ms === 0)
    await readResources(context, { isBrief: true, resources: [operation.resource] })
}

/** The operation that undoes a change, so that the change can be seen again; undefined for an addition, whose value is new. */
function oppositeOf({ action, resource }: StatedOperation): StatedOperation | undefined {
  return changesOf(resource).find(({ action: other }) => {
    if (action.kind === 'remove') return other.kind === 'add' && other.field === action.field
    if (action.kind !== 'set' || other.kind !== 'set') return false
    return Object.entries(action.fields).some(
      ([field, value]) => field in other.fields && other.fields[field] !== value,
    )
  })
}
