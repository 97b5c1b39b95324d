import type { Operation, Resource } from './model.ts'
import {
  apply,
  type Item,
  isItem,
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
  const find = (fits: (other: StatedOperation) => boolean) =>
    operations.filter(isStated).find((other) => other.resource === resource && fits(other))
  const call = (other: StatedOperation | undefined, body?: Item, id?: unknown) =>
    other && [{ operation: other, request: { path: pathFor(other, operation, request, id), ...(body && { body }) } }]
  switch (action.kind) {
    case 'create': {
      const id = created?.[resource.id ?? '']
      return id === undefined
        ? undefined
        : call(
            find((other) => other.action.kind === 'delete'),
            undefined,
            id,
          )
    }
    case 'add':
    case 'remove': {
      const inverse = action.kind === 'add' ? 'remove' : 'add'
      const other = find(
        (each) =>
          each.action.kind === inverse && each.action.field === action.field && each.action.member === action.member,
      )
      const body = toItem(request.body)
      return other && 'value' in other.action ? call(other, { [other.action.value]: body[action.value] }) : undefined
    }
    case 'set': {
      const previous = Object.fromEntries(Object.keys(action.fields).map((field) => [field, item[field]]))
      const sets = ({ action: its }: StatedOperation) => its.kind === 'set' && isSame(its.fields, previous)
      return (
        call(find(sets)) ??
        call(
          find((other) => other.action.kind === 'merge' && canRestore(other, previous)),
          previous,
        )
      )
    }
    case 'merge':
    case 'replace': {
      const isSent = (name: string) => action.kind === 'replace' || Object.hasOwn(toItem(request.body), name)
      const names = action.writable.filter(isSent)
      const previous = Object.fromEntries(names.map((name) => [name, item[name]]))
      return canRestore(operation, previous) ? call(operation, previous) : undefined
    }
    default:
      return undefined // a deleted item does not come back with its id
  }
}

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
function canRestore({ action }: StatedOperation, previous: Item): boolean {
  const writable = 'writable' in action ? action.writable : []
  return Object.entries(previous).every(([name, value]) => value !== undefined && writable.includes(name))
}

function toItem(value: unknown): Item {
  return isItem(value) ? value : {}
}

/** The reads that show a resource: of an item, and of its list. */
export function readsOf(operations: readonly Operation[], resource: Resource): readonly StatedOperation[] {
  return operations
    .filter(isStated)
    .filter((each) => each.resource === resource && (each.action.kind === 'read' || each.action.kind === 'list'))
}
