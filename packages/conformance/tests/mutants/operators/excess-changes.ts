/** Mutants that change more than an operation states: the containing item, contained items, other items, or other values. */
import { collectionOf, contracts, type ModelState, route, type StatedOperation } from '@cdn/api/contract'
import type { EmulatorRequest } from '@cdn/emulator'
import { assertDefined } from '@cdn/kit/assert-defined'
import { isSuccess, withStatus } from '../alter-calls.ts'
import { type Behaviour, mutant, onOperations, type ServerUnderTest, withAnyRequest } from '../mutant.ts'
import { requirementIdOf } from '../requirements.ts'
import {
  changes,
  collectionIn,
  effectRequirement,
  type Handled,
  idRequirement,
  operationsOf,
  replaceListAfter,
  stateMutant,
  withAlteredField,
} from './changed-state.ts'

export const excessMutants: readonly ServerUnderTest[] = changes.flatMap((operation) => {
  const { action, resource, interface: of } = operation
  const effect = [effectRequirement(operation)]
  const { parent } = resource
  const isOuter = contracts[of].resources.some((other) => other.parent === resource)
  const isCreate = action.kind === 'create'
  const isDelete = action.kind === 'delete'
  return [
    ...(isCreate
      ? [
          stateMutant(
            operation,
            'refused-adds',
            [requirementIdOf(operation, 'request-object')],
            withAnotherItem,
            ({ status }) => status === 400,
          ),
          stateMutant(operation, 'twice', effect, withAnotherItem),
        ]
      : [headDeletes(operation), ...sameByOtherMethods(operation)]),
    ...(isCreate && parent
      ? [stateMutant(operation, 'every-parent', [...effect, idRequirement(operation)], inEveryParent)]
      : []),
    ...(isDelete ? operationsOf(resource, 'read').map((read) => gone(operation, read)) : []),
    ...(isDelete && isOuter ? [deletionKeepsItemsBelow(operation)] : []),
    ...(!isCreate && !isDelete && isOuter ? [stateMutant(operation, 'drops-below', effect, withoutBelow)] : []),
    ...(parent && !parent.parent
      ? [stateMutant(operation, 'parent', effect, ({ after }) => withAlteredField(after, parent))]
      : []),
    ...('value' in action && action.member === undefined ? ofValues(operation) : []),
  ]
})

/** Adds an item with the fields of the last one, or with plain values in an empty collection. */
function withAnotherItem({ operation, call, emulator, after }: Handled): ModelState {
  const { resource } = operation
  const path = collectionIn(operation, call)
  const items = after[path] ?? []
  const { [resource.id ?? '']: _, ...fields } = items.at(-1) ?? {}
  return { ...after, [path]: [...items, emulator.state.resources.complete(fields, resource, items)] }
}

/** Adds the new item to each item that can contain it. */
function inEveryParent({ operation, call, after }: Handled): ModelState {
  const path = collectionIn(operation, call)
  const steps = path.split('/')
  const { path: outer, id } = assertDefined(operation.resource.parent)
  const depth = outer.split('/').length
  const added = (after[path] ?? []).slice(-1)
  const others = (after[steps.slice(0, depth).join('/')] ?? [])
    .map((parent) => steps.with(depth, encodeURIComponent(String(parent[assertDefined(id)]))).join('/'))
    .filter((other) => other !== path)
  return { ...after, ...Object.fromEntries(others.map((other) => [other, [...(after[other] ?? []), ...added]])) }
}

function withoutBelow({ operation, call, after }: Handled): ModelState {
  const below = `${itemPath(operation, call)}/`
  return Object.fromEntries(Object.entries(after).filter(([path]) => !path.startsWith(below)))
}

/** After the deletion of an item, lists still show the items in it. */
function deletionKeepsItemsBelow(operation: StatedOperation): ServerUnderTest {
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
  const names = [operation.name, ...lists]
  return mutant(`change.${operation.name}.keeps-below`, [effectRequirement(operation)], onOperations(names, behaviour))
}

/** After the deletion of an item, a read of it answers 410 instead of 404. */
function gone({ name }: StatedOperation, read: StatedOperation): ServerUnderTest {
  const behaviour: Behaviour = () => {
    const deleted = new Set<string>()
    return async (call, served, next) => {
      const response = await next(call, served)
      if (served.name === name && isSuccess(response)) deleted.add(call.path)
      return response.status === 404 && deleted.has(call.path) ? withStatus(response, 410) : response
    }
  }
  return mutant(
    `change.${name}.${read.name}-410`,
    [requirementIdOf(read, '404')],
    onOperations([name, read.name], behaviour),
  )
}

function itemPath({ resource }: StatedOperation, { path }: EmulatorRequest): string {
  const depth = resource.path.split('/').length
  return path.split('/', depth + 1).join('/')
}

/** Mutants of a list: values that overlap with the requested one are removed, too, or changes of parallel requests are lost. */
function ofValues(operation: StatedOperation): ServerUnderTest[] {
  const isAdd = operation.action.kind === 'add'
  const effect = effectRequirement(operation)
  const overlaps = (one: unknown, other: unknown) => one !== other && String(one).includes(String(other))
  const related = replaceListAfter(
    operation,
    ({ response, values, sent }) =>
      isSuccess(response) && values.filter((each) => !(isAdd ? overlaps(sent, each) : overlaps(each, sent))),
  )
  const overwritten = replaceListAfter(
    operation,
    ({ response, earlier, sent }) => {
      const others = earlier.filter((each) => each !== sent)
      return isSuccess(response) && (isAdd ? [...others, sent] : others)
    },
    1,
  )
  return [
    mutant(`list.${operation.name}.related`, [effect, requirementIdOf(operation, 'one-per-call')], related),
    mutant(`list.${operation.name}.lost-update`, [effect], overwritten),
  ]
}

/** HEAD on the path of a change deletes the items. */
function headDeletes(operation: StatedOperation): ServerUnderTest {
  return withAnyRequest(
    `method.${operation.name}.head`,
    changes.filter(({ path }) => path === operation.path).map(effectRequirement),
    (request, { state: { resources }, managementUrl }) => {
      const match = request.method === 'HEAD' && requestTo(operation, request, managementUrl)
      if (match) resources.all = { ...resources.all, [collectionOf(operation, match.parameters)]: [] }
      return undefined
    },
  )
}

/** POST, PUT and PATCH do the same as the operation, if no operation on its path has this method. */
function sameByOtherMethods(operation: StatedOperation): ServerUnderTest[] {
  if (operation.action.kind === 'create' || operation.path.endsWith('}')) return []
  const stated = changes.filter(({ path }) => path === operation.path).map(({ method }) => method.toUpperCase())
  const others = ['POST', 'PUT', 'PATCH'].filter((method) => !stated.includes(method))
  return [
    withAnyRequest(
      `method.${operation.name}.others`,
      [requirementIdOf(operation, 'other-methods')],
      (request, { managementUrl }) =>
        others.includes(request.method) && requestTo(operation, request, managementUrl)
          ? new Request(request, { method: operation.method.toUpperCase() })
          : undefined,
    ),
  ]
}

/** Matches a request with the path of an operation, whatever its method. */
function requestTo(operation: StatedOperation, { url }: Request, base: URL) {
  const path = new URL(url).pathname.slice(base.pathname.replace(/\/$/, '').length)
  const match = route(operation.interface, operation.method.toUpperCase(), path)
  return match && 'operation' in match && match.operation.name === operation.name ? match : undefined
}
