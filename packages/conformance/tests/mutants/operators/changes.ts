import {
  type Action,
  apply,
  collectionOf,
  contracts,
  type Item,
  isStated,
  itemOf,
  type ModelState,
  operations,
  type Resource,
  route,
  type StatedOperation,
} from '@cdn/api/contract'
import type { Emulator, EmulatorRequest, EmulatorResponse } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { stringifyJson } from '@cdn/kit/json'
import { toRecord } from '@cdn/kit/record'
import { bodyOf, keepBody, withBody } from '../alter.ts'
import { type Behaviour, mutant, on, type ServerUnderTest } from '../mutant.ts'
import { otherValue } from './values.ts'

/** The operations of the spec that change something, as far as it states what. */
export const changes = operations.filter(isStated).filter(({ action }) => !['read', 'list'].includes(action.kind))

/** One request that the platform accepted. */
export interface Accepted {
  readonly operation: StatedOperation
  readonly call: EmulatorRequest
  readonly emulator: Emulator
  readonly before: ModelState
  readonly after: ModelState
}

/** Mutants of what the contract states about an operation's change: it does nothing, too much, or not for long. */
export const changeMutants: readonly ServerUnderTest[] = changes.flatMap((operation) => {
  const { name, schemes, scopes, action } = operation
  const effect = `${operation.interface}.${name}.effect`
  const isOfItem = action.kind !== 'create'
  return [
    make(operation, 'nothing', 'reports a success and changes nothing', [effect], ({ before }) => before),
    ...(isOfItem
      ? [
          make(operation, 'elsewhere', 'renames every item of other resources', [effect], renamed),
          // No other item has the value that the suite removes.
          make(
            operation,
            'other-item',
            'changes another item',
            action.kind === 'remove' ? [effect] : [effect, idOf(operation)],
            otherItems(1, false),
          ),
          action.kind === 'remove' ? moved(operation, action.field) : everyItem(operation),
          absentToFirst(operation),
        ]
      : []),
    ...(schemes.length > 1
      ? [
          make(operation, 'key-only', 'changes something only for an API key', [effect], ({ call, before, after }) =>
            call.headers.get('AccessKey') ? after : before,
          ),
        ]
      : []),
    ...scopes
      .slice(1)
      .map((scope) =>
        make(operation, `not-for-${scope}`, `changes nothing for the scope ${scope}`, [effect], (accepted) =>
          hasScope(accepted, scope) ? accepted.before : accepted.after,
        ),
      ),
    mutant(`change.${name}.not-for-long`, `${name} lasts three seconds.`, [effect], forThreeSeconds(operation)),
    // The second deletion of an item is refused.
    ...(action.kind === 'delete'
      ? []
      : [
          mutant(
            `change.${name}.undone-by-repetition`,
            `${name} twice undoes the first one.`,
            [effect],
            undoneTwice(operation),
          ),
        ]),
    ...(action.kind === 'add' ? [cut(operation, action.value, effect)] : []),
    ...(action.kind === 'remove' ? [emptied(operation, action.field)] : []),
    ...otherFields(operation, effect),
    bystander(operation, effect),
    ...lists(operation, effect),
    ...deletedTwice(operation, effect),
  ]
})

/** Changes a field that only other operations change. */
function otherFields(operation: StatedOperation, effect: string): ServerUnderTest[] {
  const field = ['create', 'delete'].includes(operation.action.kind) ? undefined : otherField(operation)
  if (field === undefined) return []
  return [make(operation, 'other-field', `also changes ${field}`, [effect], (accepted) => withOther(accepted, field))]
}

function bystander(operation: StatedOperation, effect: string): ServerUnderTest {
  const others = contracts[operation.interface].resources.filter((other) => !isWithin(operation.resource, other))
  return make(operation, 'bystander', 'changes an item of another resource', [effect], ({ after }) => {
    const resource = others.find(({ path }) => after[path]?.[0])
    return resource ? toggled(after, resource) : after
  })
}

function isWithin(resource: Resource, other: Resource): boolean {
  return resource === other || (resource.parent !== undefined && isWithin(resource.parent, other))
}

/** Changes a field of the first item. Numbers and times may change on their own, so it is a boolean. */
export function toggled(state: ModelState, { path }: Resource): ModelState {
  const [first = {}, ...rest] = state[path] ?? []
  const [field] = Object.entries(first).find(([, value]) => typeof value === 'boolean') ?? []
  return field === undefined ? state : { ...state, [path]: [{ ...first, [field]: !first[field] }, ...rest] }
}

/** A list without the item that was created last, or with one that was deleted, as if it were the list of an earlier state. */
function lists({ name, action, resource }: StatedOperation, effect: string): ServerUnderTest[] {
  if (action.kind !== 'create' && action.kind !== 'delete') return []
  const [id, text] = action.kind === 'create' ? ['not-listed', 'does not show'] : ['still-listed', 'still shows']
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
      `change.${name}.${id}`,
      `${list.name} ${text} what ${name} changed last.`,
      [effect],
      on([name, list.name], behaviour),
    )
  })
}

/** The second deletion of an item restores it. If the contract states a 404, one more mutant reports a success. */
function deletedTwice(operation: StatedOperation, effect: string): ServerUnderTest[] {
  const { name, action } = operation
  if (action.kind !== 'delete') return []
  const twice = (answer: (first: { response: EmulatorResponse; before: ModelState }, emulator: Emulator) => object) => {
    const behaviour: Behaviour = (emulator) => {
      const first = new Map<string, { response: EmulatorResponse; before: ModelState }>()
      return async (call, served, next) => {
        const before = emulator.state.resources.all
        const response = await next(call, served)
        const earlier = first.get(call.path)
        if (isSuccess(response)) first.set(call.path, { response, before })
        return response.status === 404 && earlier ? { ...response, ...answer(earlier, emulator) } : response
      }
    }
    return on([name], behaviour)
  }
  const restored = twice(({ before }, { state }) => {
    state.resources.all = before
    return {}
  })
  const { responses } = operation.spec ?? operation
  return [
    mutant(`change.${name}.restored-by-repetition`, `${name} twice restores the item.`, [effect], restored),
    ...(responses.some(({ status }) => status === '404')
      ? [
          mutant(
            `change.${name}.again`,
            `${name} succeeds twice.`,
            [effect],
            twice(({ response }) => response),
          ),
        ]
      : []),
  ]
}

/** Changes a field of the items of every other resource. */
function renamed({ operation, after }: Accepted): ModelState {
  const rename = (item: Item) => ('Name' in item ? { ...item, Name: 'renamed' } : item)
  return Object.fromEntries(
    Object.entries(after).map(([path, all]) => [path, path === operation.resource.path ? all : all.map(rename)]),
  )
}

function everyItem(operation: StatedOperation): ServerUnderTest {
  const change = otherItems(Number.POSITIVE_INFINITY, true)
  return make(operation, 'every-item', 'changes every item', [idOf(operation)], change)
}

/** Adds what it removes to every other item. */
function moved(operation: StatedOperation, field: string): ServerUnderTest {
  return make(operation, 'moved', 'adds the value to other items', [idOf(operation)], ({ before, after }) =>
    Object.fromEntries(
      Object.entries(after).map(([path, items]) => [
        path,
        items.map((item) =>
          before[path]?.includes(item) && Array.isArray(item[field]) ? { ...item, [field]: ['moved.invalid'] } : item,
        ),
      ]),
    ),
  )
}

/** Changes the first item when it refuses an id that no item has. */
function absentToFirst(operation: StatedOperation): ServerUnderTest {
  const names = operation.path.split('/')
  const depth = operation.resource.path.split('/').length
  const behaviour: Behaviour = (emulator) => async (received, served, next) => {
    const { resources } = emulator.state
    const call = keepBody(received)
    const response = await next(call, served)
    // A collection within an item has the id of that item in its path.
    const segments = call.path.split('/')
    const [item] = resources.all[segments.slice(0, depth).join('/')] ?? []
    if (response.status !== 404 || !item) return response
    const ids = segments.map(decodeURIComponent).with(depth, String(item[defined(operation.resource.id)]))
    const path = Object.fromEntries(
      names.flatMap((name, index) => (name.startsWith('{') ? [[name.slice(1, -1), ids[index] ?? '']] : [])),
    )
    resources.all = apply(resources.all, operation, { path, body: await bodyOf(call) })[0]?.state ?? resources.all
    return response
  }
  const text = `${operation.name} changes the first item when it refuses an id that no item has.`
  return mutant(`change.${operation.name}.absent-to-first`, text, [idOf(operation)], on([operation.name], behaviour))
}

/** A field that another operation changes, and this one does not. */
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

function withOther({ operation, call, after }: Accepted, field: string): ModelState {
  const parameters = parametersOf(operation, call)
  const changed = itemOf(after, operation, parameters)
  const path = collectionOf(operation, parameters)
  const value = otherValue(operation.interface, defined(operation.resource.fields[field]), changed?.[field])
  const items = after[path]?.map((item) => (item === changed ? { ...item, [field]: value } : item)) ?? []
  return { ...after, [path]: items }
}

/** The operations that do this to a resource. */
export function operationsOf(resource: Resource, kind: Action['kind']): StatedOperation[] {
  return operations.filter(isStated).filter((each) => each.resource === resource && each.action.kind === kind)
}

/** The values of the parameters in the path of a call. */
export function parametersOf(operation: StatedOperation, { path }: EmulatorRequest): Readonly<Record<string, string>> {
  const match = route(operation.interface, operation.method.toUpperCase(), path)
  return match && 'operation' in match ? match.parameters : {}
}

export function make(
  operation: StatedOperation,
  kind: string,
  text: string,
  breaks: readonly string[],
  change: (accepted: Accepted) => ModelState,
  isMeant = isSuccess,
): ServerUnderTest {
  const { name } = operation
  return mutant(`change.${name}.${kind}`, `${name} ${text}.`, breaks, afterResponse(operation, isMeant, change))
}

/** Replaces the state after each success, or after each response of another kind. */
function afterResponse(
  operation: StatedOperation,
  isMeant: (response: EmulatorResponse) => boolean,
  change: (accepted: Accepted) => ModelState,
): Behaviour {
  return on([operation.name], (emulator) => async (received, served, next) => {
    const { resources } = emulator.state
    const before = resources.all
    const call = keepBody(received)
    const response = await next(call, served)
    if (isMeant(response)) resources.all = change({ operation, call, emulator, before, after: resources.all })
    return response
  })
}

export function isSuccess({ status }: EmulatorResponse): boolean {
  return status >= 200 && status < 300
}

/** The requirement that the id in the path selects the item. */
export function idOf({ interface: of, name }: StatedOperation): string {
  const prefix = `${of}.${name}.`
  const listed = contracts[of].requirements.find(({ id }) => id.startsWith(prefix) && id.endsWith('-id'))
  return listed?.id ?? `${prefix}id`
}

function otherItems(count: number, withOwn: boolean) {
  return ({ operation, call, before, after }: Accepted): ModelState => {
    const names = [...operation.path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => defined(name))
    const values = call.path.split('/').filter((_, index) => operation.path.split('/')[index]?.startsWith('{'))
    const path = Object.fromEntries(names.map((name, index) => [name, values[index]]))
    const [was, is] = [before, after].map((state) => itemOf(state, operation, path))
    return Object.fromEntries(
      Object.entries(after).map(([collection, items]) => {
        const others = (before[collection] ?? []).filter(
          (item) => was && item !== was && before[collection]?.includes(was),
        )
        const chosen = others.slice(0, count)
        const copy = (item: Item) => (is ? [{ ...item, ...changedFields(was, is) }] : [])
        const unchanged = withOwn ? items : (before[collection] ?? [])
        return [
          collection,
          unchanged.flatMap((item) => (chosen.some((other) => sameId(other, item, operation)) ? copy(item) : [item])),
        ]
      }),
    )
  }
}

function sameId(one: Item, other: Item, { resource }: StatedOperation): boolean {
  return one[defined(resource.id)] === other[defined(resource.id)]
}

function changedFields(was: Item | undefined, is: Item): Item {
  return Object.fromEntries(Object.entries(is).filter(([name, value]) => was?.[name] !== value))
}

function hasScope({ call, emulator }: Accepted, scope: string): boolean {
  const { byScope, keyByScope } = emulator.fixtures.credentials
  const bearer = call.headers.get('Authorization')?.replace(/^Bearer /, '')
  return bearer === byScope[scope] || call.headers.get('AccessKey') === keyByScope[scope]
}

/** Reverts a change three seconds later, on the next request. */
function forThreeSeconds(operation: StatedOperation): Behaviour {
  return (emulator) => {
    let change: { at: number; before: ModelState } | undefined
    return async (call, served, next) => {
      const { resources } = emulator.state
      const now = emulator.clock.now().getTime()
      if (change && now - change.at >= 3_000) {
        resources.all = change.before
        change = undefined
      }
      const before = resources.all
      const response = await next(call, served)
      if (served.name === operation.name && isSuccess(response)) change = { at: now, before }
      return response
    }
  }
}

/** A success of the same request twice restores the state before the first. */
function undoneTwice(operation: StatedOperation): Behaviour {
  return on([operation.name], (emulator) => {
    const first = new Map<string, ModelState>()
    return async (received, served, next) => {
      const { resources } = emulator.state
      const before = resources.all
      const call = keepBody(received)
      const key = `${call.path} ${stringifyJson(await bodyOf(call))}`
      const response = await next(call, served)
      if (!isSuccess(response)) return response
      const earlier = first.get(key)
      if (earlier) resources.all = earlier
      else first.set(key, before)
      return response
    }
  })
}

/** Also removes every other value of the list. */
function emptied(operation: StatedOperation, field: string): ServerUnderTest {
  const other = `${operation.interface}.${operation.name}.one-per-call`
  return make(operation, 'emptied', 'empties the list', [other], ({ after }) =>
    Object.fromEntries(
      Object.entries(after).map(([path, items]) => [
        path,
        items.map((item) => (Array.isArray(item[field]) ? { ...item, [field]: [] } : item)),
      ]),
    ),
  )
}

function cut(operation: StatedOperation, field: string, effect: string): ServerUnderTest {
  return mutant(
    `change.${operation.name}.cut`,
    `${operation.name} cuts a long value after 64 characters.`,
    [effect],
    on([operation.name], () => async (received, served, next) => {
      const call = keepBody(received)
      const body = toRecord(await bodyOf(call))
      const value = body[field]
      return next(typeof value === 'string' ? withBody(call, { ...body, [field]: value.slice(0, 64) }) : call, served)
    }),
  )
}
