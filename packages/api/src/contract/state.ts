import { stringifyJson } from '@cdn/kit/json'
import { isRecord, toRecord } from '@cdn/kit/record'
import type { Action, Operation, Resource, Schema } from './model.ts'

type ListAction = Extract<Action, { readonly kind: 'add' | 'remove' }>

/** An item of a collection, or a document: a JSON object. */
export type Item = Readonly<Record<string, unknown>>

/**
 * The state of an interface: the items of each collection in the order of their creation. The keys are the paths of the collections
 * (`/dnszone/7/records`). A document is the only item at its path. A state never changes; every change makes a new one.
 */
export type ModelState = Readonly<Record<string, readonly Item[]>>

/** The parts of a request that decide about its effect. The request is valid and permitted. */
export interface ModelRequest {
  /** Path parameters by name: decoded text, or an integer. */
  readonly path: Readonly<Record<string, unknown>>
  /** The JSON value of the body, if the operation has a JSON body. */
  readonly body?: unknown
}

/** An operation and its request. The body is left out if it is not JSON, such as an image: the sender adds it. */
export interface ModelCall {
  readonly operation: StatedOperation
  readonly request: ModelRequest
}

export interface PredictedOutcome {
  /**
   * `done`: success. `not-found`: the resource, or one that contains it, does not exist. `already-there`: refused, because the
   * value to add, or an item with the id to create, exists. `not-there`: refused, because the value to remove does not exist.
   */
  readonly kind: 'done' | 'not-found' | 'already-there' | 'not-there'
  /** The state afterwards. A read or a refusal leaves the same object. */
  readonly state: ModelState
  /** The item that was read, created, changed or deleted. */
  readonly item?: Item
  /** All items of a collection, for a list. */
  readonly items?: readonly Item[]
}

/** An operation whose effect the contract states. */
export type StatedOperation = Operation & { readonly resource: Resource; readonly action: Action }

/** Whether the contract states what an operation reads or changes. */
export function isStated(operation: Operation): operation is StatedOperation {
  return operation.resource !== undefined && operation.action !== undefined
}

/**
 * Completes an item that an operation creates or replaces, or an object that it adds to a list of an item. The function adds what the
 * contract does not state: the id, and the fields that the request omits.
 *
 * @param items the items of the collection; empty for an object in a list
 */
export type Complete = (fields: Item, resource: Resource, items: readonly Item[]) => Item

/**
 * Predicts the permitted outcomes of a request, the most likely first. There is more than one outcome where the contract leaves the
 * effect open: if a value to add exists, or a value to remove does not.
 *
 * @param state the state before the request
 * @param complete by default an item has only the fields of the request
 * @returns one or more outcomes; the state of an outcome other than `done` is `state`
 */
export function apply(
  state: ModelState,
  operation: StatedOperation,
  request: ModelRequest,
  complete: Complete = (fields) => fields,
): readonly PredictedOutcome[] {
  const { resource, action } = operation
  const path = collectionOf(operation, request.path)
  for (let parent = resource.parent; parent; parent = parent.parent)
    if (!itemOf(state, { ...operation, resource: parent }, request.path)) return [{ kind: 'not-found', state }]
  const items = state[path] ?? []
  if (action.kind === 'list') return [{ kind: 'done', state, items }]
  if (action.kind === 'create') {
    const fields = fieldsIn(operation, request.body)
    const id = action.writable.includes(resource.id ?? '') ? fields[resource.id ?? ''] : undefined
    if (id !== undefined && findItem(items, resource.id ?? '', String(id))) return [{ kind: 'already-there', state }]
    const item = complete(fields, resource, items)
    return [{ kind: 'done', state: { ...state, [path]: withItem(items, resource.id, item) }, item }]
  }
  const item = itemOf(state, operation, request.path)
  if (!item) return [{ kind: 'not-found', state }]
  if (action.kind === 'delete') {
    const below = `${path}/${encodeURIComponent(String(idOf(operation, request.path)))}/`
    const left = { ...without(state, below), [path]: items.filter((each) => each !== item) }
    return [{ kind: 'done', state: left, item }]
  }
  return resultsFor(item, operation, request.body, complete, items).map((result): PredictedOutcome => {
    if (typeof result === 'string') return { kind: result, state }
    if (result === item) return { kind: 'done', state, item }
    return changed(result, () => ({ ...state, [path]: withChange(items, resource.id, item, result) }))
  })
}

/** The outcome of a change. Its state is computed only when it is read, because copying a long list takes time. */
function changed(item: Item, make: () => ModelState): PredictedOutcome {
  let state: ModelState | undefined
  return {
    kind: 'done',
    item,
    get state() {
      state ??= make()
      return state
    },
  }
}

/** Result for an existing item: the same object if there is nothing to change, a changed copy, or the reason for a refusal. */
type Result = Item | 'already-there' | 'not-there'

function resultsFor(
  item: Item,
  operation: StatedOperation,
  body: unknown,
  complete: Complete,
  items: readonly Item[],
): readonly Result[] {
  const { resource, action } = operation
  switch (action.kind) {
    case 'merge':
      return [{ ...item, ...fieldsIn(operation, body) }]
    case 'replace': {
      const kept = Object.entries(item).filter(([name]) => name === resource.id || !action.writable.includes(name))
      return [complete({ ...Object.fromEntries(kept), ...fieldsIn(operation, body) }, resource, items)]
    }
    case 'set': {
      const isSet = Object.entries(action.fields).every(([field, value]) => isSame(item[field], value))
      if (!isSet) return [{ ...item, ...action.fields }]
      return Object.values(action.fields).some(Boolean) ? [item] : [item, 'not-there']
    }
    case 'add':
    case 'remove':
      return resultsInList(item, resource, action, toRecord(body)[action.value], complete)
    default:
      return [item] // a read
  }
}

function resultsInList(
  item: Item,
  resource: Resource,
  { kind, field, member }: ListAction,
  value: unknown,
  complete: Complete,
): readonly Result[] {
  const list = item[field]
  const present: readonly unknown[] = Array.isArray(list) ? list : [] // a list that is null or missing is empty
  const others = present.filter((each) => !isSame(memberValue(each, member), value))
  const isThere = others.length < present.length
  if (kind === 'remove') return isThere ? [{ ...item, [field]: others }] : [item, 'not-there']
  const added = member === undefined ? value : complete({ [member]: value }, memberResource(resource, field), [])
  const longer = { ...item, [field]: [...present, added] }
  return isThere ? [item, 'already-there', longer] : [longer]
}

/**
 * The value that an entry of a list stands for: the entry itself, or its field `member`.
 *
 * @param member the field that holds the value, if the entries are objects
 */
export function memberValue(entry: unknown, member: string | undefined): unknown {
  return member !== undefined && isRecord(entry) ? entry[member] : entry
}

/** The path of the collection or document that a request addresses, with the values of its parameters, encoded. */
export function collectionOf({ path, resource }: StatedOperation, parameters: ModelRequest['path']): string {
  return stepsOf(path, parameters).slice(0, resource.path.split('/').length).map(encodeURIComponent).join('/')
}

/** The id in the path of a request; undefined for a document, or if the request addresses a whole collection. */
export function idOf({ path, resource }: StatedOperation, parameters: ModelRequest['path']): string | undefined {
  return resource.id === undefined ? undefined : stepsOf(path, parameters)[resource.path.split('/').length]
}

/** The item or document that a request addresses; undefined if it does not exist. */
export function itemOf(
  state: ModelState,
  operation: StatedOperation,
  parameters: ModelRequest['path'],
): Item | undefined {
  const items = state[collectionOf(operation, parameters)] ?? []
  const { id } = operation.resource
  return id === undefined ? items[0] : findItem(items, id, idOf(operation, parameters))
}

/**
 * The table of each list of items: the position of each item by its id. Lists are immutable. A list that differs in one item from an
 * earlier list shares the table of that list, so that a write does not build a new table. So a table may have ids that are not in the
 * list.
 */
const positions = new WeakMap<readonly Item[], Map<string, number>>()

function positionsOf(items: readonly Item[], field: string): Map<string, number> {
  const known = positions.get(items) ?? new Map(items.map((each, place) => [String(each[field]), place]))
  positions.set(items, known)
  return known
}

/** Finds an item of a collection by its id, as text. */
export function findItem(items: readonly Item[], field: string, id: string | undefined): Item | undefined {
  if (id === undefined) return undefined
  const place = positionsOf(items, field).get(id)
  if (place === undefined) return undefined
  const item = items[place]
  return String(item?.[field]) === id ? item : items.find((each) => String(each[field]) === id)
}

function withItem(items: readonly Item[], field: string | undefined, item: Item): readonly Item[] {
  const longer = [...items, item]
  if (field !== undefined) positions.set(longer, positionsOf(items, field).set(String(item[field]), items.length))
  return longer
}

/** Returns a copy of the items in which `changed` replaces `item`, at the same position. */
export function withChange(
  items: readonly Item[],
  field: string | undefined,
  item: Item,
  changed: Item,
): readonly Item[] {
  const place = field === undefined ? 0 : (positionsOf(items, field).get(String(item[field])) ?? 0)
  if (items[place] !== item) return items.map((each) => (each === item ? changed : each))
  const others = items.with(place, changed)
  if (field !== undefined && String(changed[field]) === String(item[field]))
    positions.set(others, positionsOf(items, field))
  return others
}

type Step = (parameters: ModelRequest['path']) => string
const stepsOfPaths = new Map<string, readonly Step[]>()

function stepsOf(path: string, parameters: ModelRequest['path']): string[] {
  const steps = stepsOfPaths.get(path) ?? path.split('/').map(toStep)
  stepsOfPaths.set(path, steps)
  return steps.map((step) => step(parameters))
}

function toStep(step: string): Step {
  if (!step.includes('{')) return () => step
  const [, whole] = /^\{([^{}]+)\}$/.exec(step) ?? []
  if (whole !== undefined) return (parameters) => String(parameters[whole])
  return (parameters) => step.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => String(parameters[name]))
}

/**
 * The fields of a body that an item shows. Only the body of a creation can set the id. A null is left out if the field is never null.
 */
export function fieldsIn({ resource: { fields, id }, action }: StatedOperation, body: unknown): Item {
  const isShown = (name: string) => 'shown' in action && action.shown.includes(name)
  const isOpen = (name: string) => name !== id || action.kind === 'create'
  const fits = (name: string, value: unknown) => value !== null || isNullable(fields[name])
  return Object.fromEntries(
    Object.entries(toRecord(body)).filter(([name, value]) => isShown(name) && isOpen(name) && fits(name, value)),
  )
}

/** Whether the keywords `type` and `enum` of a schema permit null. Other keywords are ignored. */
function isNullable({ type, enum: values }: Schema = {}): boolean {
  return (type === undefined || [type].flat().includes('null')) && (values === undefined || values.includes(null))
}

function without(state: ModelState, prefix: string): ModelState {
  return Object.fromEntries(Object.entries(state).filter(([path]) => !path.startsWith(prefix)))
}

/** The objects in a list of an item, as a resource without ids. */
function memberResource({ interface: name, fields, path, source }: Resource, field: string): Resource {
  return { interface: name, name: field, path, schema: fields[field]?.items ?? {}, fields: {}, source }
}

/** Whether two JSON values are equal. Fields in another order count as different. */
function isSame(a: unknown, b: unknown): boolean {
  return stringifyJson(a) === stringifyJson(b)
}
