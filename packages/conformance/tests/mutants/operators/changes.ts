import {
  apply,
  contracts,
  type Item,
  itemOf,
  type ModelState,
  type Resource,
  type StatedOperation,
} from '@cdn/api/contract'
import { assertDefined } from '@cdn/kit/assert-defined'
import { toRecord } from '@cdn/kit/record'
import { isSuccess, jsonBody, keepBody, withBody } from '../alter-calls.ts'
import { type Behaviour, mutant, onOperations, type ServerUnderTest } from '../mutant.ts'
import {
  changes,
  collectionIn,
  effectRequirement,
  type Handled,
  idRequirement,
  mapItems,
  operationsOf,
  parametersOf,
  replaceStateAfter,
  stateMutant,
  withAlteredField,
} from './changed-state.ts'
import { otherValue } from './schema-values.ts'

/** Mutants of the changes that the contract states: an operation changes nothing, something else, or only for a short time. */
export const changeMutants: readonly ServerUnderTest[] = changes.flatMap((operation) => {
  const { name, schemes, scopes, action } = operation
  const effect = [effectRequirement(operation)]
  const id = [idRequirement(operation)]
  const others = 'value' in action ? [`${operation.interface}.${name}.one-per-call`] : []
  const field = ['create', 'delete'].includes(action.kind) ? undefined : otherField(operation)
  return [
    stateMutant(operation, 'nothing', effect, ({ before }) => before),
    stateMutant(operation, 'bystander', effect, bystander),
    ...(field === undefined
      ? []
      : [stateMutant(operation, 'other-field', effect, (done) => withOtherFieldValue(done, field))]),
    ...(action.kind === 'create'
      ? []
      : [
          absentToFirst(operation),
          stateMutant(operation, 'other-item', [...effect, ...id], otherItems(1, false)),
          ...(action.kind === 'remove'
            ? [
                stateMutant(operation, 'moved', [...effect, ...id, ...others], (done) => moved(done, action.field)),
                stateMutant(operation, 'emptied', [...effect, ...others], (done) => emptied(done, action.field)),
              ]
            : [stateMutant(operation, 'every-item', [...effect, ...id], otherItems(Number.POSITIVE_INFINITY, true))]),
        ]),
    ...(schemes.length > 1
      ? [
          stateMutant(operation, 'key-only', effect, ({ call, before, after }) =>
            call.headers.get('AccessKey') ? after : before,
          ),
        ]
      : []),
    ...scopes
      .slice(1)
      .map((scope) =>
        stateMutant(operation, `not-for-${scope}`, effect, (done) =>
          hasScope(done, scope) ? done.before : done.after,
        ),
      ),
    ...[3, 60].map((seconds) =>
      mutant(`change.${name}.for-${seconds}-seconds`, effect, forSeconds(operation, seconds)),
    ),
    // The second deletion of an item is refused, so it needs mutants of its own.
    ...(action.kind === 'delete'
      ? twiceDeleted(operation)
      : [mutant(`change.${name}.undone-by-repetition`, [...effect, ...others], undoneTwice(operation))]),
    ...(action.kind === 'add' ? [mutant(`change.${name}.cut`, effect, cut(operation, action.value))] : []),
    ...outdatedLists(operation),
  ]
})

function bystander({ operation, after }: Handled): ModelState {
  const isWithin = (resource: Resource, other: Resource): boolean =>
    resource === other || (resource.parent !== undefined && isWithin(resource.parent, other))
  const others = contracts[operation.interface].resources.filter((other) => !isWithin(operation.resource, other))
  const resource = others.find(({ path }) => after[path]?.[0])
  return resource ? withAlteredField(after, resource) : after
}

/** Mutants whose list shows the state before the last creation or deletion. */
function outdatedLists(operation: StatedOperation): ServerUnderTest[] {
  const { name, action, resource } = operation
  if (action.kind !== 'create' && action.kind !== 'delete') return []
  return operationsOf(resource, 'list').map((list) => {
    const behaviour: Behaviour = ({ state: { resources } }) => {
      let earlier: ModelState | undefined
      return async (call, served, next) => {
        const before = resources.all
        if (served.name === list.name) resources.all = earlier ?? before
        const response = await next(call, served)
        if (served.name === list.name) resources.all = before
        else if (isSuccess(response)) earlier = before
        return response
      }
    }
    return mutant(
      `change.${name}.${list.name}-outdated`,
      [effectRequirement(operation)],
      onOperations([name, list.name], behaviour),
    )
  })
}

/** Mutants of a second deletion: it restores the item. If the contract states a 404, another mutant repeats the success instead. */
function twiceDeleted(operation: StatedOperation): ServerUnderTest[] {
  const { name } = operation
  const behaviour = (isRestored: boolean) =>
    onOperations([name], ({ state: { resources } }) => {
      const first = new Map<string, { response: { status: number }; before: ModelState }>()
      return async (call, served, next) => {
        const before = resources.all
        const response = await next(call, served)
        const earlier = first.get(call.path)
        if (isSuccess(response)) first.set(call.path, { response, before })
        if (response.status !== 404 || !earlier) return response
        if (isRestored) resources.all = earlier.before
        return isRestored ? response : { ...response, ...earlier.response }
      }
    })
  const { responses } = operation.spec ?? operation
  const isRefused = responses.some(({ status }) => status === '404')
  return [
    mutant(`change.${name}.restored-by-repetition`, [effectRequirement(operation)], behaviour(true)),
    ...(isRefused ? [mutant(`change.${name}.again`, [effectRequirement(operation)], behaviour(false))] : []),
  ]
}

/** Replaces the list of every other item by one new value. */
function moved({ before, after }: Handled, field: string): ModelState {
  return mapItems(after, (items, path) =>
    items.map((item) =>
      before[path]?.includes(item) && Array.isArray(item[field]) ? { ...item, [field]: ['moved.invalid'] } : item,
    ),
  )
}

function emptied({ after }: Handled, field: string): ModelState {
  return mapItems(after, (items) => items.map((item) => (Array.isArray(item[field]) ? { ...item, [field]: [] } : item)))
}

/** A mutant that answers 404 to an id that no item has, but changes the first item. */
function absentToFirst(operation: StatedOperation): ServerUnderTest {
  const names = operation.path.split('/')
  const depth = operation.resource.path.split('/').length
  const behaviour = replaceStateAfter(operation, ({ call, body, response, after }) => {
    // A collection within an item has the id of that item in its path.
    const segments = call.path.split('/')
    const [item] = after[segments.slice(0, depth).join('/')] ?? []
    if (response.status !== 404 || !item) return after
    const ids = segments.map(decodeURIComponent).with(depth, String(item[assertDefined(operation.resource.id)]))
    const path = Object.fromEntries(
      names.flatMap((name, index) => (name.startsWith('{') ? [[name.slice(1, -1), ids[index] ?? '']] : [])),
    )
    return apply(after, operation, { path, body })[0]?.state ?? after
  })
  return mutant(`change.${operation.name}.absent-to-first`, [idRequirement(operation)], behaviour)
}

/** Returns a field that another operation changes, but this one does not. */
function otherField(operation: StatedOperation): string | undefined {
  const { resource } = operation
  const own = changedBy(operation)
  const all = changes.filter((other) => other.resource === resource).flatMap(changedBy)
  return all.find((name) => name !== resource.id && resource.fields[name] && !own.includes(name))
}

function changedBy({ action }: StatedOperation): readonly string[] {
  if ('shown' in action) return action.shown
  if ('fields' in action) return Object.keys(action.fields)
  return 'field' in action ? [action.field] : []
}

function withOtherFieldValue({ operation, call, after }: Handled, field: string): ModelState {
  const changed = itemOf(after, operation, parametersOf(operation, call))
  const path = collectionIn(operation, call)
  const value = otherValue(operation.interface, assertDefined(operation.resource.fields[field]), changed?.[field])
  const items = after[path]?.map((item) => (item === changed ? { ...item, [field]: value } : item)) ?? []
  return { ...after, [path]: items }
}

/** Makes the requested change to up to `count` other items of the collection. The requested item changes only with `withOwn`. */
function otherItems(count: number, withOwn: boolean) {
  return ({ operation, call, before, after }: Handled): ModelState => {
    const path = parametersOf(operation, call)
    const [was, is] = [before, after].map((state) => itemOf(state, operation, path))
    const id = assertDefined(operation.resource.id)
    const changed = Object.fromEntries(Object.entries(is ?? {}).filter(([name, value]) => was?.[name] !== value))
    return mapItems(after, (items, collection) => {
      const earlier = before[collection] ?? []
      const others = was && earlier.includes(was) ? earlier.filter((item) => item !== was).slice(0, count) : []
      const isChosen = (item: Item) => others.some((other) => other[id] === item[id])
      return (withOwn ? items : earlier).flatMap((item) =>
        isChosen(item) ? (is ? [{ ...item, ...changed }] : []) : [item],
      )
    })
  }
}

function hasScope({ call, emulator }: Handled, scope: string): boolean {
  const { byScope, keyByScope } = emulator.fixtures.credentials
  const bearer = call.headers.get('Authorization')?.replace(/^Bearer /, '')
  return bearer === byScope[scope] || call.headers.get('AccessKey') === keyByScope[scope]
}

/** Reverts a change some seconds later, on the next request. */
function forSeconds(operation: StatedOperation, seconds: number): Behaviour {
  return ({ state: { resources }, clock }) => {
    let change: { at: number; before: ModelState; after: ModelState } | undefined
    return async (call, served, next) => {
      const now = clock.now().getTime()
      if (change && now - change.at >= seconds * 1_000) {
        // Do not revert a later change.
        if (resources.all === change.after) resources.all = change.before
        change = undefined
      }
      const before = resources.all
      const response = await next(call, served)
      if (served.name === operation.name && isSuccess(response)) change = { at: now, before, after: resources.all }
      return response
    }
  }
}

/** The second success of the same request restores the state before the first one. */
function undoneTwice(operation: StatedOperation): Behaviour {
  return replaceStateAfter(operation, ({ call, text, response, before, after, memory }) => {
    // Compare bodies as text, because a deeply nested value cannot be serialized again.
    const key = `${call.path} ${text}`
    const earlier = memory.get(key)
    if (isSuccess(response) && !earlier) memory.set(key, before)
    return (isSuccess(response) && earlier) || after
  })
}

/** Cuts a long value after 64 characters. */
function cut(operation: StatedOperation, field: string): Behaviour {
  return onOperations([operation.name], () => async (received, served, next) => {
    const call = keepBody(received)
    const body = toRecord(await jsonBody(call))
    const value = body[field]
    const isLong = typeof value === 'string' && value.length > 64
    return next(isLong ? withBody(call, { ...body, [field]: value.slice(0, 64) }) : call, served)
  })
}
