/** Finds the items that the suite creates on a live target, so that a sweep can delete them. */
import type { Item, Resource, StatedOperation } from '@cdn/api/contract'
import { parseJson } from '@cdn/kit/json'
import { decodePercent } from '@cdn/kit/percent'
import { toRecord } from '@cdn/kit/record'
import { eventually } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import type { ReceivedResponse } from '../../exchange/exchange.ts'
import { errorReason, ignoreSkip, Skip } from '../../exchange/failure.ts'
import { hasMark, isMarked, isOwnName } from '../../exchange/own-names.ts'
import { parseOrUndefined } from '../../exchange/response.ts'
import { isAsSent } from '../../rules/state/registers.ts'
import { changesOf, type Items, idIn, listItems, listOf, readItems } from './items.ts'
import { bodyOf } from './requests.ts'

/** A request that may have created an item. */
export interface Creation {
  readonly operation: StatedOperation
  /** The collection to which the request adds an item. */
  readonly items: Items
  readonly body: Item
  /** Ids of the items that were there before, if no field of the body has the mark of the suite. */
  readonly before?: ReadonlySet<string>
  /** Whether the response was a success. Without a response, there may be no item. */
  isAccepted: boolean
  id?: string | undefined
  /** Whether a deletion of the item was sent: then the item may be gone, whatever the response was. */
  isDeletionSent?: boolean
}

/**
 * Records a creation before it is sent. If no value has the mark of the suite, the ids in the list must show later which item is new.
 *
 * @throws Skip if there is neither a mark nor a list
 */
export async function noteCreation(
  context: CheckContext,
  operation: StatedOperation,
  items: Items,
  body: Item,
): Promise<Creation> {
  const creation = { operation, items, body, isAccepted: false }
  if (hasMark(body)) return creation
  const all = await listItems(context, items).catch((error: unknown) => {
    throw new Skip(`the new ${items.resource.name} would have no mark, and listing each failed: ${errorReason(error)}`)
  })
  return { ...creation, before: new Set(all.map((item) => idIn(item, items))) }
}

/**
 * Answers the one question before each deletion: is this item one that the suite created? Its id must be one of the resource and fit into a
 * path, no list may have shown it before the creation, and a read of it must show, in a field that the suite sets, exactly a name of the
 * suite, or the values of the request that created it.
 *
 * @param creation the request that created it, if it is known
 * @returns undefined if it is; otherwise the reason why nothing may be written to it
 */
export async function reasonNotToWrite(
  context: CheckContext,
  items: Items,
  id: string,
  creation?: Pick<Creation, 'body' | 'before'>,
): Promise<string | undefined> {
  const { resource } = items
  const types = [resource.fields[resource.id ?? '']?.type].flat()
  // Such an id would make another path: of the collection, or of another resource.
  const form = types.includes('integer') ? /^\d+$/ : /^[^/\\?#%\p{Cc}]+$/u
  if (!form.test(id) || id === '.' || id === '..') return 'its id cannot stand in a path'
  if (creation?.before?.has(id)) return 'it was there before'
  let shown: readonly Item[] = []
  // A read may show a new item late.
  await eventually(context, async () => {
    shown = (await readItems(context, items, id).catch(ignoreSkip)) ?? []
    return shown.length > 0
  })
  const [item] = shown
  if (!item || shown.length > 1 || idIn(item, items) !== id) return 'no read shows it as one item'
  const { body = {}, before } = creation ?? {}
  const isCertain = before !== undefined || hasMark(shownPart(item, body))
  return hasOwnName(resource, item) || (isAsSent(resource, item, body) && isCertain)
    ? undefined
    : 'it does not show a name of the suite'
}

/** Whether an item shows, in a field that the suite sets, exactly a name of the suite. */
export function hasOwnName(resource: Resource, item: Item): boolean {
  const sent = changesOf(resource).flatMap((change) => Object.entries(bodyOf(change)))
  return sent.some(([field, value]) => isOwnName(value) && isOwnName(item[field]))
}

/** The values of a request in the fields that an item shows. */
function shownPart(item: Item, body: Item): Item {
  return Object.fromEntries(Object.entries(body).filter(([name]) => item[name] !== undefined))
}

/** The id that a response shows: in its body, or at the end of its Location. */
export function shownId({ resource, path }: StatedOperation, { text, headers }: ReceivedResponse): string | undefined {
  const id = parseOrUndefined(text) === undefined ? undefined : toRecord(parseJson(text))[resource.id ?? '']
  if (id !== undefined && id !== null) return String(id)
  const [, last] = new RegExp(`/${path.split('/').at(-1)}/([^/?#]+)/?$`, 'i').exec(headers.get('location') ?? '') ?? []
  return last === undefined ? undefined : decodePercent(last)
}

/**
 * Finds the items that a creation created: by their mark, or as the only new item with the values of the request. If several new items
 * without a mark match, it returns none, because any of them may belong to another caller.
 *
 * @param names names of the suite in the request, if it has just been sent: a server may take one from a body that is not a JSON object
 * @returns the ids; none if neither the response nor the list shows an item, or if the containing item is gone
 */
export async function findCreated(
  context: CheckContext,
  { items, body, before, id }: Pick<Creation, 'items' | 'body' | 'before' | 'id'>,
  names: readonly string[] = [],
): Promise<readonly string[]> {
  if (id !== undefined) return [id]
  const isNew = (item: Item) => {
    const isNamed = Object.values(item).some((value) => names.some((name) => name === value))
    return (isAsSent(items.resource, item, body) || isNamed) && !before?.has(idIn(item, items))
  }
  const marked = Object.entries(body).filter(([, value]) => isMarked(value))
  if (!before && (marked.length === 0 || !listOf(items.resource))) return []
  const isMatch = before ? isNew : (item: Item) => marked.some(([name, value]) => item[name] === value)
  let matches: readonly Item[] = []
  // A list may show a new item late.
  await eventually(context, async () => {
    matches = (await listItems(context, items)).filter(isMatch)
    return matches.length > 0
  })
  return before && matches.length > 1 ? [] : matches.map((item) => idIn(item, items))
}
