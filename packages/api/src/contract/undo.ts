import { toRecord } from '@cdn/kit/record'
import type { Action, Operation, Resource } from './model.ts'
import {
  apply,
  type Item,
  isSame,
  isStated,
  itemOf,
  type ModelRequest,
  type ModelState,
  type StatedOperation,
} from './state.ts'

/** An operation with the request to send. A body of another media type than JSON, such as an image, is not part of it. */
export interface ModelCall {
  readonly operation: StatedOperation
  readonly request: ModelRequest
}

/**
 * Finds the call that undoes a request, by the changes that the contract states.
 *
 * @param operations the operations to choose from
 * @param before the state before the request
 * @param created the item that the request created, with its id
 * @returns one call; none if the request changes nothing; undefined if the contract states no inverse, so that the request must
 *   not be sent to a live platform
 */
export function inverseOf(
  operations: readonly Operation[],
  { operation, request }: ModelCall,
  before: ModelState,
  created?: Item,
): readonly ModelCall[] | undefined {
  const { action, resource } = operation
  if (action.kind !== 'create' && apply(before, operation, request)[0]?.state === before) return []
  const item = itemOf(before, operation, request.path) ?? {}
  const sent = toRecord(request.body)
  const previousOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, item[name]]))
  const call = (fits: (its: Action) => boolean, bodyFor: (its: Action) => Item | undefined, id?: unknown) => {
    const inverse = operations.filter(isStated).find((other) => other.resource === resource && fits(other.action))
    if (!inverse) return undefined
    const body = bodyFor(inverse.action)
    return [{ operation: inverse, request: { path: pathFor(inverse, operation, request, id), ...(body && { body }) } }]
  }
  switch (action.kind) {
    case 'create': {
      const id = created?.[resource.id ?? '']
      return id === undefined ? undefined : call(({ kind }) => kind === 'delete', noBody, id)
    }
    case 'add':
    case 'remove': {
      const { field, member, value } = action
      const kind = action.kind === 'add' ? 'remove' : 'add'
      return call(
        (its) => its.kind === kind && its.field === field && its.member === member,
        (its) => ('value' in its ? { [its.value]: sent[value] } : {}),
      )
    }
    case 'set': {
      const previous = previousOf(Object.keys(action.fields))
      return (
        call((its) => its.kind === 'set' && isSame(its.fields, previous), noBody) ??
        call(
          (its) => its.kind === 'merge' && canRestore(its, previous),
          () => previous,
        )
      )
    }
    case 'merge':
    case 'replace': {
      const isSent = (name: string) => action.kind === 'replace' || Object.hasOwn(sent, name)
      const previous = previousOf(action.writable.filter(isSent))
      return call(
        (its) => its === action && canRestore(its, previous),
        () => previous,
      )
    }
    default:
      return undefined // a deleted item does not come back with its id
  }
}

const noBody = () => undefined

/** The path parameters of `other`, which may have other names: those at the same places of the path, and `id` at the last. */
function pathFor(
  other: StatedOperation,
  operation: StatedOperation,
  { path }: ModelRequest,
  id: unknown,
): ModelRequest['path'] {
  const names = operation.path.split('/')
  const parameters = other.path.split('/').flatMap((step, index) => {
    const [, name] = /^\{(.+)\}$/.exec(step) ?? []
    return name === undefined ? [] : [[name, path[names[index]?.slice(1, -1) ?? ''] ?? id]]
  })
  return Object.fromEntries(parameters)
}

/** Whether an operation can write all these values: it takes the fields, and reads show their values. */
function canRestore(action: Action, previous: Item): boolean {
  const writable = 'writable' in action ? action.writable : []
  return Object.entries(previous).every(([name, value]) => value !== undefined && writable.includes(name))
}

/** The reads that show a resource: of an item, and of its list. */
export function readsOf(operations: readonly Operation[], resource: Resource): readonly StatedOperation[] {
  return operations
    .filter(isStated)
    .filter((each) => each.resource === resource && (each.action.kind === 'read' || each.action.kind === 'list'))
}
