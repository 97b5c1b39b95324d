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
  const before = new Map<string, string[]>()
  for (const field of [...first, ...(await steadyFields(context, items))].filter((each) => !mayChange(each))) {
    const values = before.get(nameOf(field)) ?? []
    // Each write is undone. A field that operations change is thus as it was first, or as a request before left it: a list that
    // still shows an earlier state does not tell these apart.
    if (values.length === 0 || changedFields(field.resource).includes(field.name)) {
      before.set(nameOf(field), [...values, field.value])
    }
  }
  if (before.size === 0) throw new Skip('no operation lists anything that could change as well')
  const send = () => attempt(context, { operation, items, request, rule: 'accepted' })
  for (const sent of [send, () => orLost(call(context, operation, request))]) {
    await sent()
    let gone: readonly string[] = []
    // A list may still show an earlier state.
    await eventually(context, async () => {
      const now = new Map((await steadyFields(context, items)).map((field) => [nameOf(field), field.value]))
      gone = [...before].filter(([name, values]) => !values.includes(now.get(name) ?? '')).map(([name]) => name)
      return gone.length === 0
    })
    const names = gone.slice(0, 5).join(', ')
    if (names !== '') throw new Failure('nothing else changes', `after ${operation.name}, not as before: ${names}`)
  }
}

function nameOf({ resource, id, name }: SteadyField): string {
  return `${name} of ${resource.name} ${id}`
}
