import type { ModelState, Operation, StatedOperation } from '@cdn/api/contract'
import type { CheckContext } from '../core/check.ts'
import { need } from '../core/failure.ts'
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
 * @param isRefused whether the check modifies the request so that it must be refused. Then it need not change anything
 * @throws Skip if the suite has no item that the operation may write to
 */
export async function preparedRequest(
  context: CheckContext,
  operation: Operation,
  isRefused = false,
): Promise<PathRequest> {
  const write = need(writeOf(operation), `resource that ${operation.name} may write to`)
  const items = await itemsFor(context, write)
  const change = { operation: write, request: await validChange(context, write, items) }
  const assumed = isRefused || write.action.kind === 'add' ? assumedState(write, items) : undefined
  const read = () => (isRefused ? currentState(context, items) : makeVisible(context, change, items))
  await guardAll(context, change, assumed ?? (await read()))
  return change.request
}

/** Returns the valid request that a check modifies so that it must be refused, and registers its undo. */
export async function guardedRequest(context: CheckContext, operation: Operation): Promise<PathRequest> {
  return preparedRequest(context, operation, true)
}

/**
 * Returns a state in which a request changes something, so that its undo is known although nobody has read the state: the new
 * value is not in the list, and what the request takes away is there. Without it, the checks of the spec would need the supplement.
 */
function assumedState({ action, resource }: StatedOperation, items: Items): ModelState | undefined {
  const flags = action.kind === 'set' ? Object.entries(action.fields) : []
  const fields =
    action.kind === 'add' ? { [action.field]: [] } : Object.fromEntries(flags.map(([name]) => [name, true]))
  if (action.kind !== 'add' && (flags.length === 0 || flags.some(([, value]) => value !== false))) return undefined
  return stateOf(
    items,
    items.own.map((id) => ({ ...fields, [resource.id ?? '']: id })),
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
  const write = need(writeOf(operation), `resource that ${operation.name} may write to`)
  const items = await itemsFor(context, write)
  const { path } = await validChange(context, write, items)
  // A state that cannot be read is not an empty one, whose values would be removed. Then only foreseen values are undone.
  const before = await currentState(context, items).catch(() => undefined)
  for (const body of bodies) {
    const attempt = { operation: write, items, request: { path, body }, rule: 'refused' as const }
    if (before) await guardAll(context, attempt, before)
    try {
      await send(body)
    } finally {
      const after = before && (await observe(context, items).catch(() => undefined))
      if (before && after) await restore(context, attempt, before, after)
    }
  }
}
