/** The items of a check: those of the fixtures, or new ones, which are deleted after the check. */
import type { Resource, StatedOperation } from '@cdn/api/contract'
import { call, resultOrLost } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import { LostResponse, requireOrSkip, Skip } from '../../exchange/failure.ts'
import { successOrSkip } from '../../exchange/response.ts'
import { changesOf, type Items, itemsOfFixtures, pathOf, readOf } from './items.ts'
import { findCreated, noteCreation, reasonNotToWrite, shownId } from './own-items.ts'
import { ageOfReads, readAfterWrites } from './read-resources.ts'
import { bodyOf } from './requests.ts'

/**
 * The items that each check created, by their resource. No request of the check deletes them, so that all its requests can share
 * them.
 */
const createdItems = new WeakMap<CheckContext, Map<Resource, Items>>()

/**
 * Returns the items that a check of an operation uses: those of the fixtures, or two new ones, which are deleted after the check.
 * An operation that creates an item needs only the items that contain it, and one that deletes an item needs new ones each time.
 *
 * @throws Skip if the first fixture of the resource is missing; without fixtures, if an item cannot be created
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
  // Read first: otherwise, a creation would be a suspect of what an earlier write changed.
  if ((await ageOfReads(context)).ms === 0) await readAfterWrites(context, context.history)
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
  const read = requireOrSkip(readOf(resource), `operation that reads a ${resource.name}`)
  const { within, own } = await itemsFor(context, read)
  return [...within, ...own.slice(0, 1)]
}

/**
 * Creates an item, which is deleted after the check. If the response was lost or does not show the id, the id comes from the list.
 *
 * @returns its id
 * @throws Skip if the creation fails, or if the item may not be the new one; LostResponse if it is lost and no list shows the item
 */
async function createOne(context: CheckContext, create: StatedOperation, items: Items): Promise<string> {
  const { id: field = '', name } = create.resource
  const body = bodyOf(create)
  const creation = await noteCreation(context, create, items, body)
  const response = await resultOrLost(call(context, create, { path: pathOf(create, items), body }))
  const isLost = response instanceof LostResponse
  const shown = isLost ? undefined : shownId(create, successOrSkip(response, `creating a ${name}`))
  const [id] = shown === undefined ? await findCreated(context, creation) : [shown]
  if (id === undefined && isLost) throw response
  if (id === undefined) throw new Skip(`neither the response that creates a ${name} nor a list shows its ${field}`)
  const reason = shown === undefined ? undefined : await reasonNotToWrite(context, items, shown, creation)
  if (reason !== undefined)
    throw new Skip(`the response that creates a ${name} shows an ${field} that is not used: ${reason}`)
  return id
}
