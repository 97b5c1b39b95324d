/** What writes state about the registers of a run, and what reads show of them. Pure, from the contract. */
import {
  collectionOf,
  fieldsIn,
  type Item,
  idOf,
  isStated,
  memberValue,
  type Operation,
  operations,
  type Resource,
  type StatedOperation,
} from '@cdn/api/contract'
import { memoize } from '@cdn/kit/memoize'
import { isRecord, toRecord } from '@cdn/kit/record'
import { canonical, statedPart } from '../../exchange/canonical.ts'
import type { HistoryEntry } from '../../exchange/history.ts'
import { isMarked } from '../../exchange/own-names.ts'
import { resolverOf } from '../../exchange/schema-example.ts'
import { valueUnderAnotherName } from './fields.ts'

/** A field of an item, a member of one of its lists, or whether the item exists. A register has one value at a time. */
export interface Register {
  readonly resource: Resource
  /** Path of the item, such as `/pullzone/2001`. */
  readonly item: string
  /** The field; empty for the existence of the item. */
  readonly field: string
  /** The member of the list, as canonical text. */
  readonly member?: string | undefined
}

/** A value that the contract leaves open, such as that of a field that a replacement omits. */
export const open = Symbol('open')

/** A register, and the value that a write gives it. */
export interface Effect extends Register {
  readonly to: unknown
}

/** Whether a write took effect: `may` without a usable response, `never` if it was refused or had no right. */
export type Force = 'must' | 'may' | 'never'

export interface Write {
  readonly entry: HistoryEntry
  readonly operation: StatedOperation
  readonly force: Force
  /** The item that the request addresses or creates. For a creation whose id is unknown, the collection. */
  readonly target: string
  readonly effects: readonly Effect[]
}

/** What a read shows of one item. */
export interface ShownItem {
  readonly resource: Resource
  readonly item: string
  readonly fields: Item
}

/** The two ways in which an operation shows an item. */
export type View = 'item' | 'list'

/** What a read shows: items, and whether these are all items of the collection. */
export interface ShownState {
  readonly view: View
  readonly resource: Resource
  /** Path of the item, or of the collection of a list. */
  readonly path: string
  readonly items: readonly ShownItem[]
  /** For a list: whether no other items exist. For an item: whether the read says that it does not exist. */
  readonly isWhole: boolean
}

export const keyOf = memoize(({ item, field, member }: Register) =>
  member === undefined ? `${item}|${field}` : `${item}|${field}|${member}`,
)

export function itemKey(collection: string, id: string): string {
  return `${collection}/${encodeURIComponent(id)}`
}

/** The part of each field that the contract states. */
const statedFields = memoize(
  ({ fields, interface: of }: Resource) =>
    new Map(Object.entries(fields).map(([name, schema]) => [name, statedPart(schema, resolverOf({ interface: of }))])),
)

/** A value of a field, as far as the contract states it. */
function statedValue(resource: Resource, field: string, value: unknown): unknown {
  return statedFields(resource).get(field)?.(value) ?? value
}

export function textOf(value: unknown): string {
  return typeof value === 'symbol' ? 'any value' : String(value)
}

/** Whether an exchange may change something: the contract states a change for its operation, or it has another method. */
export function isWrite(entry: HistoryEntry): boolean {
  const { operation, method } = entry
  return isStated(operation) && (isChange(operation) || method !== operation.method.toUpperCase())
}

export function isChange({ action }: StatedOperation): boolean {
  return action.kind !== 'read' && action.kind !== 'list'
}

/** The lists that operations change member by member, with the field of an object that holds the value. */
const listActions = memoize((resource: Resource): ReadonlyMap<string, string | undefined> => {
  const stated = operations.filter(isStated).filter((one) => one.resource === resource)
  return new Map(stated.flatMap(({ action }) => ('value' in action ? [[action.field, action.member]] : [])))
})

/** Returns the canonical members of a list that operations change; undefined for any other field. */
export function membersOf(resource: Resource, field: string, value: unknown): readonly string[] | undefined {
  const lists = listActions(resource)
  if (!lists.has(field) || (value !== null && value !== undefined && !Array.isArray(value))) return undefined
  const member = lists.get(field)
  return (value ?? []).map((each: unknown) => canonical(memberValue(each, member)))
}

function forceOf({ operation, method, noEffect, status }: HistoryEntry): Force {
  if ((noEffect && !noEffect.isOpen) || method !== operation.method.toUpperCase()) return 'never'
  if (status >= 200 && status < 300) return 'must'
  return status >= 300 && status < 500 ? 'never' : 'may'
}

/** What a write states; undefined for a read, and for an operation whose change the contract does not state. */
export const writeOf = memoize((entry: HistoryEntry) => writeWith(entry, entry.createdId))

function writeWith(entry: HistoryEntry, createdId: string | undefined): Write | undefined {
  const { operation } = entry
  if (!isStated(operation) || !isWrite(entry)) return undefined
  const { resource, action } = operation
  const collection = collectionOf(operation, entry.path)
  const isCreate = action.kind === 'create'
  const id = isCreate ? createdId : idOf(operation, entry.path)
  const item = id === undefined ? collection : itemKey(collection, id)
  const of = (field: string, to: unknown, member?: string): Effect => ({ resource, item, field, to, member })
  const effects = (): Effect[] => {
    switch (action.kind) {
      case 'set':
        return Object.entries(action.fields).map(([field, value]) => of(field, canonical(value)))
      case 'add':
      case 'remove': {
        const value = toRecord(entry.body)[action.value]
        return value === undefined ? [] : [of(action.field, action.kind === 'add', canonical(value))]
      }
      case 'delete':
        return [of('', false)]
      case 'create':
      case 'merge':
      case 'replace': {
        const sent = fieldsIn(operation, entry.body)
        const omitted = action.kind === 'replace' ? action.writable.filter((name) => !(name in sent)) : []
        return [
          ...(isCreate && id !== undefined ? [of('', true)] : []),
          ...(isCreate && id === undefined
            ? []
            : Object.entries(sent).map(([name, to]) => of(name, canonical(statedValue(resource, name, to))))),
          ...omitted.filter((name) => name !== resource.id).map((name) => of(name, open)),
        ]
      }
      default:
        return []
    }
  }
  return { entry, operation, force: forceOf(entry), target: item, effects: effects() }
}

/**
 * What the writes of a history state. If the response to a creation shows no id, the first list that shows the new item does.
 *
 * @param isAlone whether no other caller uses the target, so that a new item without a name of the suite is one of the suite, too
 */
export function writesOf(entries: readonly HistoryEntry[], isAlone = false): readonly Write[] {
  const ids = createdIds(entries, isAlone)
  return entries.flatMap((entry) => (ids.has(entry) ? writeWith(entry, ids.get(entry)) : writeOf(entry)) ?? [])
}

function createdIds(entries: readonly HistoryEntry[], isAlone: boolean): ReadonlyMap<HistoryEntry, string> {
  const ids = new Map<HistoryEntry, string>()
  const creations = entries.flatMap((entry) => {
    const write = entry.operation.action?.kind === 'create' ? writeOf(entry) : undefined
    return write && write.force !== 'never' ? [write] : []
  })
  const known = new Set(creations.flatMap(({ effects, target }) => (effects.length > 0 ? [target] : [])))
  const unidentified = new Set(creations.filter(({ effects }) => effects.length === 0))
  for (const entry of entries) {
    if (unidentified.size === 0) break
    const page = shownBy(entry)
    for (const shown of page?.view === 'list' ? page.items : []) {
      const { item, fields } = shown
      if (known.has(item)) continue
      known.add(item)
      const before = [...unidentified].filter((one) => one.target === page?.path && one.entry.start < entry.end)
      const creation =
        before.find(({ entry: { body } }) => hasNameOf(fields, body)) ??
        (isAlone ? before.find(({ entry: { body } }) => isAsSent(shown.resource, fields, body)) : undefined)
      if (!creation) continue
      unidentified.delete(creation)
      ids.set(creation.entry, decodeURIComponent(item.slice(creation.target.length + 1)))
    }
  }
  return ids
}

/** Whether an item has a text of a body that no other request has: a name of the suite. */
export function hasNameOf(fields: Item, body: unknown): boolean {
  return Object.entries(toRecord(body)).some(([name, value]) => isMarked(value) && fields[name] === value)
}

/**
 * Whether a record shows each value of the request that created it, as far as it shows these fields, and at least one. A platform may store
 * a number, a flag or null as text.
 */
export function isAsSent(resource: Resource, record: Item, body: unknown): boolean {
  const fields = fieldsOf(resource, record)
  const shown = Object.entries(toRecord(body)).filter(([name]) => fields[name] !== undefined)
  const textIn = (value: unknown) => (Object(value) === value ? canonical(value) : String(value))
  const isSame = ([name, value]: readonly [string, unknown]) =>
    textIn(fields[name]) === textIn(statedValue(resource, name, value))
  return shown.length > 0 && shown.every(isSame)
}

/** What a successful read shows, or a read that says that its item does not exist; undefined for any other exchange. */
export const shownBy = memoize((entry: HistoryEntry): ShownState | undefined => {
  const { operation, status, shown, method } = entry
  if (!isStated(operation) || isWrite(entry) || method !== 'GET') return undefined
  const { resource, action } = operation
  const collection = collectionOf(operation, entry.path)
  const isAbsent = status === 404 || status === 410
  if (action.kind === 'list') {
    const { items, hasMore } = isAbsent ? { items: [], hasMore: false } : pageOf(shown)
    if (!items) return undefined
    const all = items.map((fields) => showing(resource, collection, String(fields[resource.id ?? '']), fields))
    const isRequired = (name: string) => operation.parameters.some((each) => each.name === name && each.required)
    // Any other parameter may select items.
    const selectsAll = ([name, value]: readonly [string, string]) =>
      name === 'page' ? value === '1' : /^per_?page$/i.test(name) || isRequired(name)
    const isOnly = !hasMore && [...entry.query].every(selectsAll)
    return { view: 'list', resource, path: collection, items: all, isWhole: isOnly }
  }
  const id = idOf(operation, entry.path)
  if (action.kind !== 'read' || id === undefined) return undefined
  if (isAbsent) return { view: 'item', resource, path: itemKey(collection, id), items: [], isWhole: true }
  if (!isRecord(shown)) return undefined
  // Shows another item, which a rule of bodies reports.
  const own = shown[resource.id ?? '']
  if (own !== undefined && String(own) !== id) return undefined
  const items = [showing(resource, collection, id, shown)]
  return { view: 'item', resource, path: itemKey(collection, id), items, isWhole: false }
})

/** The items in the body of a list, and whether further pages follow. `items` is undefined if the body holds no list. */
export function pageOf(body: unknown): { readonly items: readonly Item[] | undefined; readonly hasMore: boolean } {
  const fields = Object.entries(toRecord(body))
  const list: unknown[] | undefined = Array.isArray(body) ? body : fields.map(([, each]) => each).find(Array.isArray)
  return {
    items: list?.map(toRecord),
    hasMore: fields.some(([name, value]) => /^has_?more/i.test(name) && value === true),
  }
}

function showing(resource: Resource, collection: string, id: string, record: Item): ShownItem {
  return { resource, item: itemKey(collection, id), fields: fieldsOf(resource, record) }
}

/** The fields that the contract states, without the id, with the values that a record shows. */
export function fieldsOf(resource: Resource, record: Item): Item {
  const fields = Object.entries(resource.fields).flatMap(([name, schema]) => {
    const value = record[name] === undefined ? valueUnderAnotherName(record, name, schema) : record[name]
    return value === undefined || name === resource.id ? [] : [[name, statedValue(resource, name, value)] as const]
  })
  return Object.fromEntries(fields)
}

/**
 * Whether a request for an id that no item has must be answered 404: the spec states it, or the supplement for an operation that the spec
 * does not describe.
 */
export function states404({ spec, responses }: Operation): boolean {
  return (spec?.responses ?? responses).some(({ status }) => status === '404')
}
