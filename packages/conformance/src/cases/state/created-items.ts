/** The items of a check: those of the fixtures, or new ones, which are deleted after the check. */
import type { Resource, StatedOperation } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { call, orLost } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import type { ReceivedResponse } from '../../exchange/exchange.ts'
import { LostResponse, need, Skip } from '../../exchange/failure.ts'
import { prepared } from '../../exchange/response.ts'
import { changesOf, type Items, itemsOfFixtures, listOf, pathOf, readOf } from './items.ts'
import { findCreated, reasonToSpare, shownId } from './own-items.ts'
import { bodyOf, isMarked, type PathRequest } from './requests.ts'

/**
 * The items that each check created, by their resource. No request of the check deletes them, so that all its requests can share
 * them.
 */
const createdItems = new WeakMap<CheckContext, Map<Resource, Items>>()

/**
 * Returns the items that a check of an operation uses: those of the fixtures, or two new ones, which are deleted after the check.
 * An operation that creates an item needs only the items that contain it, and one that deletes an item needs new ones each time.
 *
 * @throws Skip if there are no fixtures, and no operation creates an item
 */
export async function itemsFor(context: CheckContext, { resource, action }: StatedOperation): Promise<Items> {
  const fixed = itemsOfFixtures(resource, context.fixtures)
  if (fixed) return fixed
  const known = createdItems.get(context) ?? new Map<Resource, Items>()
  createdItems.set(context, known)
  const shared = known.get(resource)
  if (shared && action.kind !== 'create' && action.kind !== 'delete') return shared
  const create = changesOf(resource).find((change) => change.action.kind === 'create')
  if (!create) throw new Skip(`the fixtures have no ${resource.name}, and no operation creates one`)
  const within = shared?.within ?? (resource.parent ? await newPath(context, resource.parent) : [])
  const empty = { resource, own: [], within }
  if (action.kind === 'create') return empty
  const make = async () => [await createOne(context, create, empty), await createOne(context, create, empty)]
  // A list can be read without items, too.
  const own = await make().catch((error: unknown) => {
    if (action.kind === 'list' && error instanceof Skip) return []
    throw error
  })
  const items = { ...empty, own }
  if (action.kind !== 'delete') known.set(resource, items)
  return items
}

async function newPath(context: CheckContext, resource: Resource): Promise<readonly string[]> {
  const read = need(readOf(resource), `operation that reads a ${resource.name}`)
  const { within, own } = await itemsFor(context, read)
  return [...within, ...own.slice(0, 1)]
}

/**
 * Creates an item, which is deleted after the check.
 *
 * @returns its id
 * @throws Skip if that fails; LostResponse if the response is lost and the item was not created
 */
export async function createOne(context: CheckContext, create: StatedOperation, items: Items): Promise<string> {
  const request = { path: pathOf(create, items), body: bodyOf(create) }
  const response = await orLost(call(context, create, request))
  if (!(response instanceof LostResponse)) prepared(response, `creating a ${items.resource.name}`)
  return createdId(context, create, request, items, response)
}

/**
 * Returns the id of a created item. If the response does not show it, or was lost, finds the item in the list by the name that
 * the suite gave it.
 *
 * @throws Skip if neither the response nor the list shows the item; LostResponse if it was not created
 */
export async function createdId(
  context: CheckContext,
  operation: StatedOperation,
  request: PathRequest,
  items: Items,
  response: ReceivedResponse | LostResponse,
): Promise<string> {
  const { id = '', name } = operation.resource
  const shown = response instanceof LostResponse ? undefined : shownId(operation, response)
  if (shown !== undefined) {
    const reason = await reasonToSpare(context, items, shown, { body: toRecord(request.body) })
    if (reason !== undefined)
      throw new Skip(`the response that creates a ${name} shows an ${id} that is not used: ${reason}`)
    return shown
  }
  const isFindable = Object.values(toRecord(request.body)).some(isMarked) && listOf(items.resource)
  const [found] = isFindable ? await findCreated(context, { items, body: toRecord(request.body) }) : []
  if (found !== undefined) return found
  if (response instanceof LostResponse) throw response
  throw new Skip(`neither the response that creates a ${name} nor a list shows its ${id}`)
}
