/** How to undo the writes of a check. The steps are registered before a write is sent. */
import {
  type Item,
  inverseOf,
  isStated,
  type ModelCall,
  type ModelState,
  type Operation,
  operations,
  type StatedOperation,
} from '@cdn/api/contract'
import { parseJson } from '@cdn/kit/json'
import { toRecord } from '@cdn/kit/record'

import { fixturesOf } from '../../cases/resources.ts'
import { bodyTypeOf, call, type Request } from '../../run/call.ts'
import { type CheckContext, idPlaceholder, type UndoStep } from '../../run/check.ts'
import { reasonOf, Skip } from '../../run/failure.ts'
import { parseOrUndefined } from '../../run/read-json.ts'
import { type RequestedOperation, urlBelow } from '../../run/requested-operation.ts'

import { changesOf, type Items, listItems, listOf, pathOf, readOf } from './items.ts'
import { isOwnName, requestOf } from './requests.ts'
import { firstFields } from './steady-fields.ts'

/** Number of characters of a value that the text of an undo shows. */
const maxShown = 60

/**
 * Registers the undo of a request, before it is sent.
 *
 * @param created the item that the request created
 * @throws Skip if the contract states no undo
 */
export async function guard(
  context: CheckContext,
  change: ModelCall,
  before: ModelState,
  created?: Item,
): Promise<void> {
  // An item that can be deleted was created by the suite, and its deletion is registered.
  if (change.operation.action.kind === 'delete') return
  const undo = inverseOf(operations, change, before, created)
  if (!undo) throw new Skip(`the suite does not know how to undo ${change.operation.name}`)
  // Checks that look for other changes use it. For the others, a list that fails is no problem.
  await firstFields(context).catch(() => undefined)
  const known = registered.get(context) ?? new Set<string>()
  registered.set(context, known)
  for (const each of undo) {
    const step = await undoStep(context, each)
    const key = JSON.stringify([step.method, step.url, typeof step.body === 'string' && step.body])
    // The last step is undone first, so that of several equal ones the first leaves the state as it was.
    if (!known.has(key)) await context.onUndo(step)
    known.add(key)
  }
}

/** The steps that each check has registered. */
const registered = new WeakMap<CheckContext, Set<string>>()

/**
 * Returns how to delete the item that a response shows as created. A server may accept a request that a check meant to be refused, so
 * that the check does not expect an item.
 *
 * @param text body of a success
 * @returns no steps if the operation creates no item that the suite may delete, or the body shows no id
 */
export async function deletionOf(
  context: CheckContext,
  { operation, parameters }: RequestedOperation,
  text: string,
): Promise<readonly UndoStep[]> {
  if (!isUndoable(operation) || operation.action.kind !== 'create') return []
  const { id = '' } = operation.resource
  const shown = idIn(text, operation)
  if (shown === undefined) return []
  const change = { operation, request: { path: { ...parameters } } }
  const undo = inverseOf(operations, change, {}, { [id]: shown }) ?? []
  return Promise.all(undo.map((step) => undoStep(context, step)))
}

/**
 * Returns how to delete what a request may create, without its response: in the list, by a name of the request that only the suite makes,
 * or else by its texts. It is registered before the request is sent, because the response may be lost, and the run may end before it
 * arrives.
 *
 * @param text body of the request
 * @returns undefined if the operation creates no item that the suite may delete, or no list can show a text of the request
 * @throws Skip if the item could not be told from others, because the target does not list them
 */
export async function deletionInList(
  context: CheckContext,
  requested: RequestedOperation,
  text: string,
): Promise<UndoStep | undefined> {
  const { operation, parameters } = requested
  const { resource } = operation
  const list = resource && listOf(resource)
  if (!list || resource.id === undefined) return undefined
  const [step] = await deletionOf(context, requested, JSON.stringify({ [resource.id]: idPlaceholder }))
  const body = Object.entries(toRecord(parseOrUndefined(text)))
  const texts = body.filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const names = texts.filter(([, value]) => isOwnName(value))
  const values = names.length > 0 ? names : texts.filter(([field]) => resource.fields[field])
  if (!step || values.length === 0) return undefined
  const items = { resource, own: [], others: [], within: Object.values(parameters) }
  const find = {
    ...{ list: urlOf(context, list, pathOf(list, items)), id: resource.id, values: Object.fromEntries(values) },
    ...(names.length === 0 && { except: await idsWith(context, list, items, values) }),
  }
  return { ...step, text: `${step.text} ${values.map(([, value]) => value.slice(0, maxShown)).join(', ')}`, find }
}

/** The ids of the items that have all these values; none if the item that contains them does not exist. */
async function idsWith(
  context: CheckContext,
  list: StatedOperation,
  items: Items,
  values: readonly [string, string][],
): Promise<string[]> {
  const { status } = await call(context, list, { path: pathOf(list, items) })
  if (status === 404) return []
  const all = await listItems(context, list, items).catch((error: unknown) => {
    throw new Skip(`no undo is known, because listing each ${items.resource.name} failed: ${reasonOf(error)}`)
  })
  return all
    .filter((item) => values.every(([field, value]) => item[field] === value))
    .map((item) => String(item[items.resource.id ?? '']))
}

/** The id of the item that a body shows; undefined if it is not JSON, or shows none. */
export function idIn(text: string, { resource }: StatedOperation): unknown {
  return parseOrUndefined(text) === undefined ? undefined : toRecord(parseJson(text))[resource.id ?? '']
}

async function undoStep(context: CheckContext, change: ModelCall): Promise<UndoStep> {
  const { operation } = change
  const { path, body } = await requestOf(context, change)
  const mediaType = bodyTypeOf(operation)
  const value = 'value' in operation.action ? ` ${toRecord(body)[operation.action.value]}` : ''
  return {
    text: `${operation.name.replaceAll('-', ' ')}${value}`,
    method: operation.method.toUpperCase(),
    url: urlOf(context, operation, path),
    headers: mediaType ? { 'Content-Type': mediaType } : {},
    ...(body !== undefined && { body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) }),
  }
}

function urlOf(context: CheckContext, operation: Operation, path: Request['path']): string {
  const ids = operation.path.replace(/\{([^{}]+)\}/g, (_, name: string) => encodeURIComponent(path?.[name] ?? ''))
  return urlBelow(context.bases[operation.interface], ids).href
}

/**
 * Whether the suite can undo an operation: the contract states its inverse, or the suite creates and deletes the item that the
 * operation changes.
 */
export function isUndoable(operation: Operation): operation is StatedOperation {
  if (!isStated(operation) || operation.effect === 'read' || !readOf(operation.resource)) return false
  const { action, resource } = operation
  const others = changesOf(resource).map((other) => other.action)
  if (!fixturesOf(resource)) return ['create', 'delete'].every((kind) => others.some((other) => other.kind === kind))
  const inverse = { add: 'remove', remove: 'add', set: 'set' }[action.kind as string]
  return others.some((other) => other !== action && other.kind === inverse)
}

/**
 * Returns an operation as a write.
 *
 * @throws Skip if the suite cannot undo it. Such a write is never sent to a live target
 */
export function writeOf(operation: Operation): StatedOperation {
  if (isUndoable(operation)) return operation
  throw new Skip(`the suite does not know how to undo ${operation.name}`)
}
