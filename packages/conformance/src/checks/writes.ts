import type { ModelState, Operation, StatedOperation } from '@cdn/api/contract'
import type { Request } from '../core/call.ts'
import type { CheckContext } from '../core/check.ts'
import { Skip } from '../core/failure.ts'
import { guardAll, restore } from './state/attempt.ts'
import { type Items, observe, stateOf } from './state/items.ts'
import { currentState, isUndoable, itemsFor, makeVisible, type PathRequest, validChange } from './state/requests.ts'

/** Returns the operation if the suite can send it and undo it. Without an undo, it is never sent to a live target. */
export function writeOf(operation: Operation): StatedOperation | undefined {
  return isUndoable(operation) ? operation : undefined
}

/**
 * Returns a valid request that changes something, and registers its undo.
 *
 * @throws Skip if the suite has no item that the operation may write to
 */
export async function preparedRequest(context: CheckContext, operation: Operation): Promise<PathRequest> {
  const write = writeOf(operation)
  if (!write) throw new Skip(`the suite has no resource that ${operation.name} may write to`)
  const items = await itemsFor(context, write)
  const request = await validChange(context, write, items)
  const before =
    (write.action.kind === 'add' ? assumedState(write, items) : undefined) ??
    (await makeVisible(context, { operation: write, request }, items))
  await guardAll(context, { operation: write, request }, before)
  return request
}

/** Returns the valid request that a check modifies so that it must be refused, and registers its undo. A read needs none. */
export async function guardedRequest(context: CheckContext, operation: Operation): Promise<Request> {
  const write = writeOf(operation)
  if (!write) return {}
  const items = await itemsFor(context, write)
  const request = await validChange(context, write, items)
  const before = assumedState(write, items) ?? (await currentState(context, items))
  await guardAll(context, { operation: write, request }, before)
  return request
}

/**
 * Returns a state in which a request changes something, so that its undo is known although nobody has read the state: the new
 * value is not in the list, and what the request takes away is there.
 */
function assumedState(operation: StatedOperation, items: Items): ModelState | undefined {
  const { action, resource } = operation
  const fields =
    action.kind === 'add'
      ? { [action.field]: [] }
      : action.kind === 'set' && Object.values(action.fields).every((value) => value === false)
        ? Object.fromEntries(Object.keys(action.fields).map((name) => [name, true]))
        : undefined
  return (
    fields &&
    stateOf(
      items,
      items.own.map((id) => ({ ...fields, [resource.id ?? '']: id })),
    )
  )
}

/**
 * Sends bodies that must be refused. Before each request, it registers the undo for the foreseeable values that a lenient server
 * makes of the body, and afterwards that of every other change.
 *
 * @param send sends one body
 */
export async function sendRefusable(
  context: CheckContext,
  operation: Operation,
  bodies: readonly unknown[],
  send: (body: unknown) => Promise<void>,
): Promise<void> {
  const write = writeOf(operation)
  if (!write) throw new Skip(`the suite has no resource that ${operation.name} may write to`)
  const items = await itemsFor(context, write)
  const path = (await validChange(context, write, items)).path
  const before = await readable(() => currentState(context, items))
  for (const body of bodies) {
    const attempt = { operation: write, items, request: { path, body }, rule: 'refused' as const }
    if (before) await guardAll(context, attempt, before)
    try {
      await send(body)
    } finally {
      const after = await readable(() => observe(context, items))
      if (before && after) await restore(context, attempt, before, after)
    }
  }
}

/** A state that cannot be read is not an empty one, whose values would be removed. Then only foreseen values are undone. */
async function readable(read: () => Promise<ModelState>): Promise<ModelState | undefined> {
  return read().catch(() => undefined)
}
