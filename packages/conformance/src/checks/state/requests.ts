/** Valid requests that change something, and their undo. */
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  apply,
  type Item,
  inverseOf,
  isStated,
  type ModelCall,
  type ModelState,
  type Operation,
  operations,
  type Resource,
  type Schema,
  type StatedOperation,
} from '@cdn/api/contract'
import { parseJson } from '@cdn/kit/json'
import { toRecord } from '@cdn/kit/record'
import { bodyTypeOf, call, eventually, type Request } from '../../core/call.ts'
import { type CheckContext, idPlaceholder, type UndoStep } from '../../core/check.ts'
import { resolverOf, schemaExample } from '../../core/example.ts'
import { Failure, LostResponse, need, reasonOf, Skip } from '../../core/failure.ts'
import { parseOrUndefined } from '../../core/read-json.ts'
import { baseOf, type RequestedOperation, urlBelow } from '../../core/requested-operation.ts'
import { prepared, type ReceivedResponse } from '../../core/response.ts'
import { ids as oddIds, similarIds, wrappingId } from '../input/hostile.ts'
import { fixturesOf } from '../resources.ts'
import {
  changesOf,
  type Items,
  itemLines,
  itemsOfFixtures,
  listItems,
  listOf,
  observe,
  pathOf,
  readOf,
} from './items.ts'
import { firstFields } from './steady-fields.ts'

/** A request with its path parameters. */
export type PathRequest = Request & { readonly path: Record<string, string> }

/** Names below it have no address (RFC 2606). */
const ownDomain = 'conformance.invalid'
/** Number of characters of a value that the text of an undo shows. */
const maxShown = 60

/** Returns a new name. It shows a person where it comes from, and no visitor ever sends it as a hostname. */
export function newName(): string {
  return `${randomUUID()}.${ownDomain}`
}

/** Whether a value is a name that the suite made. */
export function isOwnName(value: unknown): boolean {
  return typeof value === 'string' && value.endsWith(`.${ownDomain}`)
}

/** The items that each check created, by their resource. A check deletes none of them, so that its requests can share them. */
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
  const empty = { resource, own: [], others: [], within }
  if (action.kind === 'create') return empty
  const items = { ...empty, own: [await createOne(context, create, empty), await createOne(context, create, empty)] }
  if (action.kind !== 'delete') known.set(resource, items)
  return items
}

/** Makes a check create new items, because a failure may have changed those that it has. */
export function renewItems(context: CheckContext): void {
  createdItems.delete(context)
}

/** The ids of an item that can hold others, and of those that contain it. */
async function newPath(context: CheckContext, resource: Resource): Promise<readonly string[]> {
  const read = need(readOf(resource), `operation that reads a ${resource.name}`)
  const { within, own } = await itemsFor(context, read)
  return [...within, ...own.slice(0, 1)]
}

/**
 * Creates an item, which is deleted after the check.
 *
 * @returns its id
 * @throws Skip if that fails
 */
export async function createOne(context: CheckContext, create: StatedOperation, items: Items): Promise<string> {
  const request = { path: pathOf(create, items), body: bodyOf(create) }
  const response = await orLost(call(context, create, request))
  if (!(response instanceof LostResponse)) prepared(response, `creating a ${items.resource.name}`)
  return createdId(context, create, request, items, response)
}

/**
 * Returns the id of a created item. If the response does not show it, or was lost, the item is found in the list by the name that the
 * suite gave it, and its deletion is registered.
 *
 * @returns the id of the item
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
  const shown = response instanceof LostResponse ? undefined : idIn(response.text, operation)
  // The deletion of an item that a response shows is registered when the response arrives.
  if (shown !== undefined) return String(shown)
  const item = await findCreated(context, request, items)
  if (item?.[id] !== undefined) {
    await guard(context, { operation, request }, {}, item)
    return String(item[id])
  }
  if (response instanceof LostResponse) throw response
  throw new Skip(`neither the response that creates a ${name} nor a list shows its ${id}`)
}

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
  const found = all.filter((item) => values.every(([field, value]) => item[field] === value))
  return found.map((item) => String(item[items.resource.id ?? '']))
}

/** The id of the item that a body shows; undefined if it is not JSON, or shows none. */
function idIn(text: string, { resource }: StatedOperation): unknown {
  return parseOrUndefined(text) === undefined ? undefined : toRecord(parseJson(text))[resource.id ?? '']
}

/** Finds a created item by its name. */
async function findCreated(context: CheckContext, request: PathRequest, items: Items): Promise<Item | undefined> {
  let found: Item | undefined
  const isListed = async () => {
    ;[found] = await itemsNamed(context, request, items)
    return found !== undefined
  }
  if (listOf(items.resource) && namesIn(request).length > 0) await eventually(context, isListed)
  return found
}

/** Lists the items with a name of a request, which no other item has. */
export async function itemsNamed(context: CheckContext, request: PathRequest, items: Items): Promise<readonly Item[]> {
  const list = listOf(items.resource)
  const names = namesIn(request)
  const all = list && names.length > 0 ? await listItems(context, list, items) : []
  return all.filter((entry) => names.some(([field, value]) => entry[field] === value))
}

function namesIn({ body }: PathRequest): [field: string, value: unknown][] {
  return Object.entries(toRecord(body)).filter(([, value]) => isOwnName(value))
}

/**
 * Makes a valid request of an operation to an item.
 *
 * @param id the item, the first of the suite's own by default
 */
export async function validChange(
  context: CheckContext,
  operation: StatedOperation,
  items: Items,
  id: string | undefined = items.own[0],
): Promise<PathRequest> {
  const mediaType = bodyTypeOf(operation)
  const path = pathOf(operation, items, operation.action.kind === 'create' ? undefined : id)
  if (mediaType === undefined) return { path }
  return { path, body: mediaType.includes('json') ? bodyOf(operation) : await fileOf(context) }
}

/**
 * Makes a JSON body. It has every required field, and every field that the operation changes. A plain text is a new name, and a change
 * of an item has other values than its creation.
 */
function bodyOf(operation: StatedOperation): Item {
  const { action } = operation
  const schema = operation.requestBody?.content['application/json'] ?? {}
  const resolve = resolverOf(operation)
  const { properties = {} } = resolve(schema)
  const isName = ({ type, format, pattern, enum: values, maxLength = 255 }: Schema) =>
    type === 'string' && !format && !pattern && !values && maxLength >= newName().length
  const isChange = action.kind === 'merge' || action.kind === 'replace'
  const valueFor = (name: string, example?: unknown) => {
    const property = resolve(properties[name] ?? {})
    if (isName(property)) return newName()
    const value = example ?? schemaExample(property, resolve)
    return isChange ? otherValue(property, value) : value
  }
  const names = 'value' in action ? [action.value] : Object.keys(properties)
  const example = toRecord(schemaExample(schema, resolve))
  return Object.fromEntries(
    [...new Set([...names, ...Object.keys(example)])].map((name) => [name, valueFor(name, example[name])]),
  )
}

/** Another valid value than the first one, if the schema has any. */
function otherValue({ enum: values = [], maximum = Number.POSITIVE_INFINITY }: Schema, value: unknown): unknown {
  if (typeof value === 'boolean') return !value
  if (typeof value === 'number' && values.length === 0) return value + 1 <= maximum ? value + 1 : value
  return values.find((each) => each !== value) ?? value
}

async function fileOf(context: CheckContext): Promise<Uint8Array> {
  const file = need(context.fixtures.watermarkFile, 'watermarkFile')
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new Skip(`cannot read watermarkFile ${file}: ${error.code}`)
  })
}

/**
 * Brings an item into a state that a request changes, for example with the hostname that the request removes.
 *
 * @returns the state before the request
 * @throws Skip if no operation does that, or if the target does not show it
 */
export async function makeVisible(context: CheckContext, change: ModelCall, items: Items): Promise<ModelState> {
  const { operation, request } = change
  const before = await currentState(context, items)
  const changes = (state: ModelState) => apply(state, operation, request)[0]?.state !== state
  if (operation.action.kind === 'create' || changes(before)) return before
  for (const other of changesOf(operation.resource)) {
    const opposite = { operation: other, request: { path: request.path, body: request.body } }
    const after = other === operation ? undefined : apply(before, other, opposite.request)[0]?.state
    if (!after || after === before || !changes(after)) continue
    await guard(context, opposite, before)
    const sent = await requestOf(context, opposite)
    const response = await orLost(call(context, other, sent))
    if (!(response instanceof LostResponse)) prepared(response, `preparing by ${other.name}`)
    const seen = await observeUntil(context, items, (state) => same(state, after))
    remember(context, items, seen)
    if (same(seen, after)) return seen
    if (response instanceof LostResponse) throw response
    throw new Skip(`the ${items.resource.name} does not show what ${other.name} changed`)
  }
  throw new Skip(`no operation brings the ${items.resource.name} into a state that ${operation.name} changes`)
}

/**
 * Observes items until their state fits, at most some seconds. Returns the last state.
 *
 * @param read how to observe them; by the operation that reads them by default
 */
export async function observeUntil(
  context: CheckContext,
  items: Items,
  fits: (state: ModelState) => boolean,
  read: typeof observe = observe,
): Promise<ModelState> {
  let state: ModelState = {}
  await eventually(context, async () => {
    state = await read(context, items)
    return fits(state)
  })
  return state
}

/** The last state that each check has seen, by the ids of the items, and whether nothing was sent since then. */
const seenStates = new WeakMap<CheckContext, Map<string, { readonly state: ModelState; readonly isLast: boolean }>>()

/**
 * Returns the state before a change. Reads may still show earlier changes of other checks, so the state is looked at until it is the
 * one that this check saw last, or the one that the run saw first: every check restores it.
 *
 * @throws Failure if an item is gone that the run saw first
 */
export async function currentState(context: CheckContext, items: Items): Promise<ModelState> {
  const key = keyOf(items)
  const first = await context.once(`first state of ${key}`, () => observe(context, items))
  const seen = seenStates.get(context)?.get(key)
  if (seen?.isLast) return seen.state
  const expected = seen?.state ?? first
  const state = await observeUntil(context, items, (each) => same(each, expected))
  for (const [path, all] of Object.entries(first))
    if ((state[path]?.length ?? 0) < all.length)
      throw new Failure(`${all.length} items of ${path}, as before the first write`, itemLines(state).join(', '))
  return state
}

/**
 * Remembers the state of items for the next change of the same check.
 *
 * @param isLast whether the state is certain, so that it is not read again
 */
export function remember(context: CheckContext, items: Items, state: ModelState, isLast = true): void {
  const states = seenStates.get(context) ?? new Map()
  seenStates.set(context, states.set(keyOf(items), { state, isLast }))
}

/** Notes that requests were sent whose effects nobody has looked at: the states are read again. */
export function forget(context: CheckContext): void {
  const states = seenStates.get(context) ?? []
  for (const [key, { state }] of states) seenStates.get(context)?.set(key, { state, isLast: false })
}

function keyOf({ resource, within, own }: Items): string {
  return JSON.stringify([resource.name, ...within, ...own])
}

/** The result of a write, or the error if its response was lost: then only the state shows whether it was executed. */
export async function orLost<T>(work: Promise<T>): Promise<T | LostResponse> {
  return work.catch((error: unknown) => {
    if (error instanceof LostResponse) return error
    throw error
  })
}

/** Whether two states are equal, whatever the order of items and lists. */
export function same(one: ModelState, other: ModelState): boolean {
  return itemLines(one).join('\n') === itemLines(other).join('\n')
}

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

/** The request of a call of the model, with the body that the model leaves out: an image. */
export async function requestOf(context: CheckContext, { operation, request }: ModelCall): Promise<Request> {
  const path = Object.fromEntries(Object.entries(request.path).map(([name, value]) => [name, String(value)]))
  const mediaType = bodyTypeOf(operation)
  if (mediaType === undefined) return { path }
  return { path, body: mediaType.includes('json') ? (request.body ?? {}) : await fileOf(context) }
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
  return urlBelow(baseOf(context, operation.interface), ids).href
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

/** Values of other forms: of one character, long, in mixed case, with a wildcard, beyond ASCII. */
export function oddValues(): string[] {
  return [
    'x',
    `${'l'.repeat(60)}.${'m'.repeat(60)}.${newName()}`,
    `MiXed.${newName()}`,
    `*.${newName()}`,
    `ä漢😀.${newName()}`,
  ]
}

/** Values that a server may refuse as hostnames, but must not store in another form: beyond ASCII, and with a blank at the end. */
export function refusableValues(): string[] {
  return [newName().replace('.', 'ü.'), `${newName()} `]
}

/**
 * Returns ids that no item has, according to a read: the absent fixture, ids at the edges of integer types, and those that become
 * the id of the item if their upper bits or their sign are cut.
 */
export async function absentIds(context: CheckContext, items: Items): Promise<string[]> {
  const read = need(readOf(items.resource), `operation that reads a ${items.resource.name}`)
  const { absent } = fixturesOf(items.resource) ?? {}
  const fixture = absent === undefined ? [] : [need(context.fixtures[absent], absent)]
  const id = need(items.own[0], items.resource.name)
  const similar = /^\d+$/.test(id) ? [...similarIds, wrappingId].map((of) => `${of(BigInt(id))}`) : []
  const candidates = [...fixture, ...oddIds.map(String), ...similar]
  if (read.action.kind === 'list') return candidates
  const ids: string[] = []
  for (const candidate of candidates) {
    const { status } = await call(context, read, { path: pathOf(read, items, candidate) })
    // An id that somebody's item has is never written to.
    if (status === 400 || status === 404) ids.push(candidate)
  }
  return ids
}
