/** The state of the fixtures in which a run begins and ends, and the writes that the suite may send to a live target. */
import {
  apply,
  type Item,
  isStated,
  itemOf,
  type ModelCall,
  type Operation,
  operations,
  type StatedOperation,
} from '@cdn/api/contract'
import type { Fixtures } from '../../exchange/check.ts'
import { Skip, SuiteConfigurationError } from '../../exchange/failure.ts'
import { isMarked } from '../../exchange/own-names.ts'
import { type FixtureName, fixturesOf } from '../../exchange/resources.ts'
import { changedFields } from '../../rules/state/fields.ts'
import { changesOf, type Items, listOf, pathOf, readOf, resourcesWithFixtures, stateOf, valuesIn } from './items.ts'

/** An item of the fixtures that the suite may change. */
export interface DeclaredItem {
  readonly items: Items
  readonly id: string
  /** The declared values of its fields. A list that is not declared may have any values without the mark of the suite. */
  readonly fields: Item
}

/**
 * Returns the items of the fixtures that the suite may change, with their declared fields: those of `state` in the fixtures file.
 * By default, each flag that an operation can set is set, such as that of a watermark.
 *
 * @throws SuiteConfigurationError if `state` names a fixture or a field that no operation changes, or has no list where one belongs
 */
export function declaredItems(fixtures: Fixtures): readonly DeclaredItem[] {
  const { state = {} } = fixtures
  const changeable = resourcesWithFixtures.flatMap((resource) => {
    const names = changesOf(resource).length > 0 ? (fixturesOf(resource)?.own ?? []) : []
    return names.map((name) => ({ resource, name, changed: changedFields(resource) }))
  })
  for (const [name, fields] of Object.entries(state)) {
    const known = changeable.find((each) => each.name === name)
    if (!known)
      throw wrongState(
        name,
        changeable.map((each) => each.name),
      )
    const lists = changesOf(known.resource).flatMap(({ action }) => (action.kind === 'add' ? action.field : []))
    for (const [field, value] of Object.entries(fields)) {
      if (!known.changed.includes(field)) throw wrongState(`${name}.${field}`, known.changed)
      if (lists.includes(field) && !Array.isArray(value))
        throw new SuiteConfigurationError(`The fixtures declare state.${name}.${field}, which must be a list.`)
    }
  }
  return changeable.flatMap(({ resource, name }) => {
    const id = fixtures[name]
    if (typeof id !== 'string') return []
    const flags = changesOf(resource).flatMap(({ action }) =>
      action.kind === 'set' ? Object.entries(action.fields) : [],
    )
    const set = flags.filter(([, value]) => value === true)
    const fields = { ...Object.fromEntries(set), ...state[name] }
    return [{ items: { resource, own: [id], within: [] }, id, fields }]
  })
}

function wrongState(key: string, names: readonly (FixtureName | string)[]): SuiteConfigurationError {
  return new SuiteConfigurationError(
    `The fixtures declare state.${key}, which no operation changes: expected one of ${names.join(', ')}.`,
  )
}

/**
 * Returns the calls that bring an item into its declared state. In a list that is not declared, they remove the marked values, and
 * add missing ones without a mark that the list had when the run began.
 *
 * @param seen the item as the target shows it
 * @param first the item when the run began, if that is known
 */
export function callsTo({ items, id, fields }: DeclaredItem, seen: Item, first: Item = {}): readonly ModelCall[] {
  return changesOf(items.resource).flatMap((operation): ModelCall[] => {
    const { action } = operation
    const path = pathOf(operation, items, id)
    if (action.kind === 'set') {
      const hasAll = (item: Item) => Object.entries(action.fields).every(([field, value]) => item[field] === value)
      return hasAll(fields) && !hasAll(seen) ? [{ operation, request: { path } }] : []
    }
    if (action.kind !== 'add' && action.kind !== 'remove') return []
    const declared = fields[action.field] === undefined ? undefined : valuesIn(fields, action)
    const values = valuesIn(seen, action)
    const missing = (declared ?? valuesIn(first, action).filter((each) => !isMarked(each))).filter(
      (each) => !values.includes(each),
    )
    const surplus = values.filter((each) => (declared ? !declared.includes(each) : isMarked(each)))
    return (action.kind === 'add' ? missing : surplus).map((value) => ({
      operation,
      request: { path, body: { [action.value]: value } },
    }))
  })
}

/**
 * Returns the calls that undo a write to an item of the fixtures, whatever the target shows; none if the declared state already has
 * the effect of the write.
 */
export function undoOf(item: DeclaredItem, { operation, request }: ModelCall, first: Item = {}): readonly ModelCall[] {
  const { items, id, fields } = item
  const before = { ...first, ...fields, [items.resource.id ?? '']: id }
  const [after] = apply(stateOf(items, [before]), operation, request)
  return callsTo(item, (after && itemOf(after.state, operation, request.path)) ?? before, first)
}

/** The collections in which the suite creates items: at the root, or in an item of the fixtures. */
export function ownCollections(fixtures: Fixtures): readonly Items[] {
  const creates = operations.filter(isSweepable).filter(({ action }) => action.kind === 'create')
  return creates.flatMap(({ resource }) => {
    const { parent } = resource
    const of = (within: readonly string[]) => ({ resource, own: [], within })
    if (!listOf(resource)) return []
    if (!parent) return [of([])]
    // Only fixtures count: a new item of the suite is deleted together with the items in it.
    return (fixturesOf(parent)?.own ?? []).flatMap((name) =>
      fixtures[name] === undefined ? [] : [of([String(fixtures[name])])],
    )
  })
}

/**
 * Whether a sweep can undo a write of an operation: the operation changes a list or a flag of a fixture, or an item that the suite
 * creates and deletes.
 */
export function isSweepable(operation: Operation): operation is StatedOperation {
  if (!isStated(operation) || operation.effect === 'read' || !readOf(operation.resource)) return false
  const { action, resource } = operation
  const others = changesOf(resource).map((other) => other.action)
  if (!fixturesOf(resource)) return ['create', 'delete'].every((kind) => others.some((other) => other.kind === kind))
  const inverse = { add: 'remove', remove: 'add', set: 'set' }[action.kind as string]
  return others.some((other) => other !== action && other.kind === inverse)
}

/**
 * Narrows an operation to a write that a sweep can undo.
 *
 * @throws Skip if no sweep can undo it. Such a write is never sent to a live target
 */
export function requireSweepable(operation: Operation): StatedOperation {
  if (isSweepable(operation)) return operation
  throw new Skip(`the suite does not know how to undo ${operation.name}`)
}
