/** Helpers of the operators that alter changes: the operations, and the state before and after a request. */
import { setTimeout } from 'node:timers/promises'
import {
  type Action,
  collectionOf,
  contracts,
  type Item,
  isStated,
  itemOf,
  type ModelState,
  operations,
  type Resource,
  route,
  type Schema,
  type StatedOperation,
} from '@cdn/api/contract'
import type { Emulator, EmulatorRequest, EmulatorResponse } from '@cdn/emulator'
import { toRecord } from '@cdn/kit/record'
import { isSuccess, jsonBody, keepBody } from '../alter-calls.ts'
import { type Behaviour, mutant, onOperations, type ServerUnderTest } from '../mutant.ts'
import { otherValue } from './schema-values.ts'

/** The operations whose change the contract states. */
export const changes = operations.filter(isStated).filter(({ action }) => !['read', 'list'].includes(action.kind))

/** A request that the platform has handled, and the state before and after it. */
export interface Handled {
  readonly operation: StatedOperation
  readonly call: EmulatorRequest
  /** Its body as text, and the JSON value of it. */
  readonly text: string
  readonly body: unknown
  readonly response: EmulatorResponse
  readonly emulator: Emulator
  readonly before: ModelState
  readonly after: ModelState
  /** States that the mutant remembers between requests. */
  readonly memory: Map<string, ModelState>
}

/** Replaces the state after each request to an operation. @param delayMs time until the platform handles a request */
export function replaceStateAfter(
  operation: StatedOperation,
  change: (handled: Handled) => ModelState,
  delayMs = 0,
): Behaviour {
  return onOperations([operation.name], (emulator) => {
    const { resources } = emulator.state
    const memory: Handled['memory'] = new Map()
    return async (received, served, next) => {
      const [call, before] = [keepBody(received), resources.all]
      const [text, body] = [new TextDecoder().decode(await call.body()), await jsonBody(call)]
      if (delayMs > 0) await setTimeout(delayMs)
      const response = await next(call, served)
      resources.all = change({ operation, call, text, body, response, emulator, memory, before, after: resources.all })
      return response
    }
  })
}

/** Makes a mutant that replaces the state after each response for which `isMeant` holds: by default, each success. */
export function stateMutant(
  operation: StatedOperation,
  kind: string,
  breaks: readonly string[],
  change: (handled: Handled) => ModelState,
  isMeant: (response: EmulatorResponse) => boolean = isSuccess,
): ServerUnderTest {
  const behaviour = replaceStateAfter(operation, (done) => (isMeant(done.response) ? change(done) : done.after))
  return mutant(`change.${operation.name}.${kind}`, breaks, behaviour)
}

/** A request to change a list: the value that it sends, and the list before and after it. */
interface ListChange extends Handled {
  readonly sent: string
  readonly earlier: readonly unknown[]
  readonly values: readonly unknown[]
}

/** Replaces a list after each request to add or remove a value, if its item exists and `change` returns another list. */
export function replaceListAfter(
  operation: StatedOperation,
  change: (seen: ListChange) => readonly unknown[] | false,
  delayMs = 0,
): Behaviour {
  const { action } = operation
  const replace = (done: Handled) => {
    const path = parametersOf(operation, done.call)
    const item = itemOf(done.after, operation, path)
    if (!item || !('value' in action)) return done.after
    const listOf = (of: Item | undefined) => (of?.[action.field] ?? []) as readonly unknown[]
    const lists = { earlier: listOf(itemOf(done.before, operation, path)), values: listOf(item) }
    const list = change({ ...done, ...lists, sent: String(toRecord(done.body)[action.value]) })
    const other = list ? { ...item, [action.field]: list } : item
    return mapItems(done.after, (items) => items.map((each) => (each === item ? other : each)))
  }
  return replaceStateAfter(operation, replace, delayMs)
}

/** Returns the id of the requirement that a change has its effect, and no other. */
export function effectRequirement({ interface: of, name }: StatedOperation): string {
  return `${of}.${name}.effect`
}

/** Returns the id of the requirement that the id in the path selects the item. */
export function idRequirement({ interface: of, name }: StatedOperation): string {
  const prefix = `${of}.${name}.`
  const listed = contracts[of].requirements.find(({ id }) => id.startsWith(prefix) && id.endsWith('-id'))
  return listed?.id ?? `${prefix}id`
}

export function operationsOf(resource: Resource, kind: Action['kind']): StatedOperation[] {
  return operations.filter(isStated).filter((each) => each.resource === resource && each.action.kind === kind)
}

/** Returns the path parameters of a call by name. */
export function parametersOf(operation: StatedOperation, { path }: EmulatorRequest): Readonly<Record<string, string>> {
  const match = route(operation.interface, operation.method.toUpperCase(), path)
  return match && 'operation' in match ? match.parameters : {}
}

/** Returns the collection of a call: the key of its items in the state. */
export function collectionIn(operation: StatedOperation, call: EmulatorRequest): string {
  return collectionOf(operation, parametersOf(operation, call))
}

export function mapItems(
  state: ModelState,
  change: (items: ModelState[string], path: string) => ModelState[string],
): ModelState {
  return Object.fromEntries(Object.entries(state).map(([path, items]) => [path, change(items, path)]))
}

/**
 * Changes a field of the first item of a resource: a boolean, or else a text. A number or a time would not do, because it may change
 * without a request.
 */
export function withAlteredField(state: ModelState, { path, interface: of, fields, id }: Resource): ModelState {
  const [first, ...rest] = state[path] ?? []
  const isText = ([name, { type, format }]: [string, Schema]) => type === 'string' && !format && name !== id
  const all = Object.entries(fields)
  const [field, schema = {}] = all.find(([, { type }]) => type === 'boolean') ?? all.find(isText) ?? []
  if (!first || field === undefined) return state
  return { ...state, [path]: [{ ...first, [field]: otherValue(of, schema, first[field]) }, ...rest] }
}
