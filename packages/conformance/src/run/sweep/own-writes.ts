/** The writes of one check: it sends them here, so that a sweep can undo them. */
import type { Item, ModelCall, Resource, StatedOperation } from '@cdn/api/contract'
import { decodePercent } from '@cdn/kit/percent'
import { toRecord } from '@cdn/kit/record'
import { type DeclaredItem, isSweepable, undoOf } from '../../cases/state/declared-state.ts'
import type { Items } from '../../cases/state/items.ts'
import { type Creation, findCreated, noteCreation, shownId } from '../../cases/state/own-items.ts'
import type { CheckContext } from '../../exchange/check.ts'
import type { ReceivedResponse } from '../../exchange/exchange.ts'
import { Skip } from '../../exchange/failure.ts'
import { isMarked, namesIn } from '../../exchange/own-names.ts'
import type { RequestedOperation } from '../../exchange/requested-operation.ts'
import { isSuccess, parseOrUndefined } from '../../exchange/response.ts'

/** Changes of a sweep, and problems that it could not solve (leaks), one text each. */
export interface Swept {
  readonly changes: string[]
  readonly leaks: string[]
}

/** What a sweeper offers to the writes of a check. */
export interface SweepTools {
  readonly context: CheckContext
  readonly declared: readonly DeclaredItem[]
  /** The first state of each declared item. */
  readonly first: ReadonlyMap<DeclaredItem, Item>
  /** Reasons why no check may write to a resource any more: a sweep could not undo the write. */
  readonly blocked: Map<Resource, string>
  /** Sends each call until the target accepts it, and adds a change or a leak to `swept`. */
  readonly perform: (calls: readonly ModelCall[], swept: Swept) => Promise<unknown>
  /** Deletes items, if they are certainly those of the suite, and checks that they are gone. */
  readonly remove: (items: Items, ids: readonly string[], swept: Swept, creation: Creation) => Promise<void>
  /** Brings an item into its declared state. */
  readonly restore: (item: DeclaredItem, swept: Swept) => Promise<void>
}

type SendNow = () => Promise<ReceivedResponse>

/** Records and undoes the writes of one check. */
export type OwnWrites = ReturnType<typeof createOwnWrites>

/** @param onUndone called when nothing is left to undo */
export function createOwnWrites(tools: SweepTools, onUndone: () => void) {
  const { context, declared, first, blocked } = tools
  const find = (creation: Creation, names?: readonly string[]) =>
    findCreated(context, creation, names).catch((): readonly string[] => [])
  const calls = new Map<string, ModelCall>()
  const creations = new Set<Creation>()
  const touched = new Set<DeclaredItem>()
  /** Requests without a response yet. A check may end before its parallel requests do. */
  const inFlight = new Set<Promise<unknown>>()
  let isOver = false

  const create = async (operation: StatedOperation, items: Items, text: string, send: SendNow) => {
    const body = toRecord(parseOrUndefined(text))
    const creation = await noteCreation(context, operation, items, body)
    creations.add(creation)
    const response = await send().catch((error: unknown) => {
      if (error instanceof Skip) creations.delete(creation)
      throw error
    })
    if (isSuccess(response)) {
      creation.isAccepted = true
      creation.id = shownId(operation, response)
      // Find an item without a mark now, because a later creation may have the same values.
      if (creation.before) [creation.id] = await find(creation, namesIn(text))
    } else if (response.status < 500) creations.delete(creation)
    return response
  }

  /** Sends the deletion of an item. The sweeper then forgets the item, so it first finds the ids of the created items. */
  const sendDeletion = async (resource: Resource, id: string | undefined, send: SendNow) => {
    const own = [...creations].filter(({ items }) => items.resource === resource)
    const knownIds = new Set(own.flatMap((each) => each.id ?? []))
    for (const creation of own.filter((each) => each.id === undefined)) {
      // Equal requests create several items with the same values, so take an id that no other creation has.
      creation.id = (await find(creation)).find((each) => !knownIds.has(each))
      if (creation.id !== undefined) knownIds.add(creation.id)
    }
    const deleted = own.filter((each) => each.id === id)
    // The deletion may be executed whatever the response is, such as 404 to one that a gateway has repeated.
    for (const creation of deleted) creation.isDeletionSent = true
    const response = await send()
    if (isSuccess(response)) for (const creation of deleted) creations.delete(creation)
    return response
  }

  const sendNoted = async ({ operation, parameters }: RequestedOperation, request: Request, send: SendNow) => {
    if (!isSweepable(operation)) return send()
    const text = await request.clone().text()
    const path = Object.fromEntries(
      Object.entries(parameters).map(([name, value]) => [name, decodePercent(value) ?? value]),
    )
    const { action, resource } = operation
    if (action.kind === 'create')
      return create(operation, { resource, own: [], within: Object.values(path) }, text, send)
    const body = toRecord(parseOrUndefined(text))
    const id = Object.values(path).at(-1)
    if (action.kind === 'delete') return sendDeletion(resource, id, send)
    const item = declared.find((each) => each.items.resource === resource && each.id === id)
    if (!item) return send()
    if (action.kind === 'add' && item.fields[action.field] === undefined && !isMarked(body[action.value]))
      throw new Skip(
        `no value without the mark of the suite is added, unless "state" in the fixtures declares ${action.field}`,
      )
    touched.add(item)
    for (const back of undoOf(item, { operation, request: { path, body } }, first.get(item)))
      calls.set(JSON.stringify([back.operation.name, back.request]), back)
    return send()
  }

  return {
    creations,
    /**
     * Sends a request of the check, and records how to undo it.
     *
     * @throws Skip if the check is over, or if a sweep could not recognise the written value as one of the suite
     */
    send(requested: RequestedOperation, request: Request, send: SendNow): Promise<ReceivedResponse> {
      if (isOver) throw new Skip('the check is over')
      const response = sendNoted(requested, request, send)
      inFlight.add(response)
      return response
    },
    /**
     * Undoes the writes of the check.
     *
     * @param isWrong whether the check failed, so that a request may have changed anything
     */
    async takeBack(isWrong = false): Promise<void> {
      isOver = true
      await Promise.allSettled(inFlight)
      const swept: Swept = { changes: [], leaks: [] }
      await tools.perform([...calls.values()], swept)
      calls.clear()
      // Delete an item after the items in it. Equal requests find the same items, so find all before the first deletion.
      const idsByCreation = new Map<Creation, readonly string[]>()
      for (const creation of [...creations].toReversed()) idsByCreation.set(creation, await find(creation))
      for (const [creation, ids] of idsByCreation) {
        const taken: Swept = { changes: [], leaks: [] }
        await tools.remove(creation.items, ids, taken, creation)
        const isFound = ids.length > 0 && taken.leaks.length === 0
        if (isFound || !creation.isAccepted) creations.delete(creation)
        else blocked.set(creation.items.resource, leakOf(creation))
      }
      if (isWrong) for (const item of touched) await tools.restore(item, swept).catch(() => {})
      if (creations.size === 0) onUndone()
    },
  }
}

/** Describes a created item that the sweep could not find or delete. */
export function leakOf({ operation, items, body, id }: Creation): string {
  const { name } = items.resource
  const what = id === undefined ? JSON.stringify(body) : `the id ${id}`
  return `could not find or delete the ${name} that ${operation.name} created: look for ${what}, and delete it`
}
