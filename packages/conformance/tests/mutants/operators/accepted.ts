/** Helpers of the operators that alter changes: the operations, and the state before and after a request. */
import {
  type Action,
  collectionOf,
  contracts,
  isStated,
  type ModelState,
  operations,
  type Resource,
  route,
  type Schema,
  type StatedOperation,
} from '@cdn/api/contract'
import type { Emulator, EmulatorRequest, EmulatorResponse } from '@cdn/emulator'
import { isSuccess, keepBody } from '../alter.ts'
import { mutant, on, type ServerUnderTest } from '../mutant.ts'
import { otherValue } from './values.ts'

/** The operations whose change the contract states. */
export const changes = operations.filter(isStated).filter(({ action }) => !['read', 'list'].includes(action.kind))

/** A request that the platform has handled, and the state before and after it. */
export interface Accepted {
  readonly operation: StatedOperation
  readonly call: EmulatorRequest
  readonly emulator: Emulator
  readonly before: ModelState
  readonly after: ModelState
}

/** Makes a mutant that replaces the state after each response for which `isMeant` holds: by default, each success. */
export function stateMutant(
  operation: StatedOperation,
  kind: string,
  breaks: readonly string[],
  change: (accepted: Accepted) => ModelState,
  isMeant: (response: EmulatorResponse) => boolean = isSuccess,
): ServerUnderTest {
  const behaviour = on([operation.name], (emulator) => async (received, served, next) => {
    const { resources } = emulator.state
    const before = resources.all
    const call = keepBody(received)
    const response = await next(call, served)
    if (isMeant(response)) resources.all = change({ operation, call, emulator, before, after: resources.all })
    return response
  })
  return mutant(`change.${operation.name}.${kind}`, breaks, behaviour)
}

/** Returns the id of the requirement that a change has its effect, and no other. */
export function effectOf({ interface: of, name }: StatedOperation): string {
  return `${of}.${name}.effect`
}

/** Returns the id of the requirement that the id in the path selects the item. */
export function idOf({ interface: of, name }: StatedOperation): string {
  const prefix = `${of}.${name}.`
  const listed = contracts[of].requirements.find(({ id }) => id.startsWith(prefix) && id.endsWith('-id'))
  return listed?.id ?? `${prefix}id`
}

/** Returns the operations on a resource whose action has this kind. */
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

/** Replaces the items of each collection. */
export function mapItems(
  state: ModelState,
  change: (items: ModelState[string], path: string) => ModelState[string],
): ModelState {
  return Object.fromEntries(Object.entries(state).map(([path, items]) => [path, change(items, path)]))
}

/**
 * Changes a field of the first item of a resource: a boolean, or else a text. A number or a time would not do, because it may change without
 * a request.
 */
export function altered(state: ModelState, { path, interface: of, fields, id }: Resource): ModelState {
  const [first, ...rest] = state[path] ?? []
  const isText = ([name, { type, format }]: [string, Schema]) => type === 'string' && !format && name !== id
  const all = Object.entries(fields)
  const [field, schema = {}] = all.find(([, { type }]) => type === 'boolean') ?? all.find(isText) ?? []
  if (!first || field === undefined) return state
  return { ...state, [path]: [{ ...first, [field]: otherValue(of, schema, first[field]) }, ...rest] }
}
