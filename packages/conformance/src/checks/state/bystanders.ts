/** What a request must leave as it is: other items, other resources, and the fields of its item that it does not change. */
import type { StatedOperation } from '@cdn/api/contract'
import { call, eventually } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { Failure, Skip } from '../../core/failure.ts'
import { attempt } from './attempt.ts'
import { changedFields } from './items.ts'
import { itemsFor, orLost, validChange } from './requests.ts'
import { firstFields, type SteadyField, steadyFields } from './steady-fields.ts'

/**
 * Sends a valid request twice and compares the lists of its resource, and of each resource with fixtures, with those before: before
 * the request, and before the first write of the run. The second request may be refused, but must not go beyond the first one.
 *
 * @throws Failure with the names of what changed, without values, because a field may be a secret; Skip if nothing is listed
 */
export async function leavesTheRest(context: CheckContext, operation: StatedOperation): Promise<void> {
  const first = await firstFields(context)
  const items = await itemsFor(context, operation)
  const request = await validChange(context, operation, items)
  const changed = changedFields(operation.resource)
  const mayChange = ({ resource, id, name }: SteadyField) =>
    resource === operation.resource &&
    items.own.includes(id) &&
    (operation.action.kind === 'delete' || changed.includes(name))
  const before = [...first, ...(await steadyFields(context, items))].filter((field) => !mayChange(field))
  if (before.length === 0) throw new Skip('no operation lists anything that could change as well')
  const send = () => attempt(context, { operation, items, request, rule: 'accepted' })
  for (const sent of [send, () => orLost(call(context, operation, request))]) {
    await sent()
    let gone: readonly SteadyField[] = []
    // A list may still show an earlier state.
    await eventually(context, async () => {
      const now = new Set((await steadyFields(context, items)).map((field) => `${nameOf(field)} ${field.value}`))
      gone = before.filter((field) => !now.has(`${nameOf(field)} ${field.value}`))
      return gone.length === 0
    })
    const names = [...new Set(gone.map(nameOf))].slice(0, 5).join(', ')
    if (names !== '') throw new Failure('nothing else changes', `after ${operation.name}, not as before: ${names}`)
  }
}

function nameOf({ resource, id, name }: SteadyField): string {
  return `${name} of ${resource.name} ${id}`
}
