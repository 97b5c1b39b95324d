/** Mutants that change more than an operation states: the items beside the item, and what the item contains. */
import { collectionOf, contracts, type ModelState, type StatedOperation } from '@cdn/api/contract'
import type { EmulatorRequest, EmulatorResponse } from '@cdn/emulator'
import { defined } from '@cdn/kit/defined'
import { withStatus } from '../alter.ts'
import { type Behaviour, mutant, on, type ServerUnderTest } from '../mutant.ts'
import { requirementIdOf } from '../requirements.ts'
import { type Accepted, changes, idOf, isSuccess, make, operationsOf, parametersOf, toggled } from './changes.ts'

/** Mutants of creations, changes and deletions, if there are items that they could change as well. */
export const surplusMutants: readonly ServerUnderTest[] = changes.flatMap((operation) => [
  ...surplus(operation),
  ...changedParent(operation),
])

function surplus(operation: StatedOperation): ServerUnderTest[] {
  const effect = `${operation.interface}.${operation.name}.effect`
  const { action, resource, interface: of } = operation
  const isOuter = contracts[of].resources.some(({ parent }) => parent === resource)
  if (action.kind === 'create') {
    const refusal = requirementIdOf(operation, 'request-object')
    return [
      make(operation, 'refused-adds', 'adds an item when it refuses a body', [refusal], withAnotherItem, isRefusal),
      make(operation, 'twice', 'adds a second item', [effect], withAnotherItem),
      ...(resource.parent
        ? [make(operation, 'every-parent', 'adds the item everywhere', [effect, idOf(operation)], inEveryParent)]
        : []),
    ]
  }
  if (action.kind === 'delete') {
    return [
      ...(isOuter ? [keptBelow(operation, effect)] : []),
      ...operationsOf(resource, 'read').map((read) => gone(operation, read)),
    ]
  }
  return isOuter ? [make(operation, 'drops-below', 'deletes what the item contains', [effect], withoutBelow)] : []
}

function changedParent(operation: StatedOperation): ServerUnderTest[] {
  const { interface: of, name, resource } = operation
  const { parent } = resource
  if (!parent || parent.parent) return []
  const effect = `${of}.${name}.effect`
  return [make(operation, 'parent', 'changes what contains the item', [effect], ({ after }) => toggled(after, parent))]
}

/** Adds an item with the fields of the last one, or with plain values in an empty collection. */
function withAnotherItem({ operation, call, emulator, after }: Accepted): ModelState {
  const { resource } = operation
  const path = collectionOf(operation, parametersOf(operation, call))
  const items = after[path] ?? []
  const { [resource.id ?? '']: _, ...fields } = items.at(-1) ?? {}
  return { ...after, [path]: [...items, emulator.state.resources.complete(fields, resource, items)] }
}

/** Adds the new item to each item that can contain it. */
function inEveryParent({ operation, call, after }: Accepted): ModelState {
  const path = collectionOf(operation, parametersOf(operation, call))
  const steps = path.split('/')
  const { path: outer, id } = defined(operation.resource.parent)
  const depth = outer.split('/').length
  const added = (after[path] ?? []).slice(-1)
  const others = (after[steps.slice(0, depth).join('/')] ?? [])
    .map((parent) => steps.with(depth, encodeURIComponent(String(parent[defined(id)]))).join('/'))
    .filter((other) => other !== path)
  return { ...after, ...Object.fromEntries(others.map((other) => [other, [...(after[other] ?? []), ...added]])) }
}

function withoutBelow({ operation, call, after }: Accepted): ModelState {
  const below = `${itemPath(operation, call)}/`
  return Object.fromEntries(Object.entries(after).filter(([path]) => !path.startsWith(below)))
}

/** After a deletion, serves what the item contained as if the item were still there. */
function keptBelow(operation: StatedOperation, effect: string): ServerUnderTest {
  const below = contracts[operation.interface].resources.filter(({ parent }) => parent === operation.resource)
  const lists = below.flatMap((resource) => operationsOf(resource, 'list')).map(({ name }) => name)
  const behaviour: Behaviour = ({ state: { resources } }) => {
    const contents = new Map<string, ModelState>()
    return async (call, served, next) => {
      const before = resources.all
      const deleted = [...contents].find(([path]) => lists.includes(served.name) && call.path.startsWith(`${path}/`))
      if (deleted) [, resources.all] = deleted
      const response = await next(call, served)
      if (deleted) resources.all = before
      if (served.name === operation.name && isSuccess(response)) contents.set(itemPath(operation, call), before)
      return response
    }
  }
  const text = `${operation.name} keeps what the item contains.`
  return mutant(`change.${operation.name}.keeps-below`, text, [effect], on([operation.name, ...lists], behaviour))
}

/** Says that an item is gone for good, and not that it does not exist. */
function gone(operation: StatedOperation, read: StatedOperation): ServerUnderTest {
  const behaviour: Behaviour = () => {
    const deleted = new Set<string>()
    return async (call, served, next) => {
      const response = await next(call, served)
      if (served.name === operation.name && isSuccess(response)) deleted.add(call.path)
      return response.status === 404 && deleted.has(call.path) ? withStatus(response, 410) : response
    }
  }
  const text = `${read.name} answers 410 for an item that ${operation.name} deleted.`
  const names = [operation.name, read.name]
  return mutant(`change.${operation.name}.${read.name}-410`, text, [requirementIdOf(read, '404')], on(names, behaviour))
}

function isRefusal({ status }: EmulatorResponse): boolean {
  return status === 400
}

function itemPath({ resource }: StatedOperation, { path }: EmulatorRequest): string {
  return path
    .split('/')
    .slice(0, resource.path.split('/').length + 1)
    .join('/')
}
