/** What a request must leave as it is: other items, other resources, and the fields of its item that it does not change. */
import type { Resource, StatedOperation } from '@cdn/api/contract'
import { call, eventually } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { Failure, Skip } from '../../core/failure.ts'
import { isImported } from '../resources.ts'
import { attempt } from './attempt.ts'
import { changedFields, changesOf, itemsOfFixtures, listOf, observeIn } from './items.ts'
import { itemsFor, makeVisible, observeUntil, orLost, same, validChange } from './requests.ts'
import { firstFields, nameOf, resourcesWithFixtures, steadyFields } from './steady-fields.ts'

/** The resources with fixtures, except that of an operation. */
export function bystandersOf({ resource, ...operation }: StatedOperation): readonly Resource[] {
  return isImported(operation) ? [] : resourcesWithFixtures.filter((other) => other !== resource)
}

/**
 * Sends a valid request twice and compares the lists of its resource, and of each resource with fixtures, with those before: before
 * the request, and before the first write of the run. The second request may be refused, but must not go beyond the first one.
 *
 * @throws Failure with the names of what changed, without values, because a field may be a secret; Skip if nothing is listed
 */
export async function leavesTheRest(context: CheckContext, operation: StatedOperation): Promise<void> {
  const first = await firstFields(context)
  for (const resource of bystandersOf(operation)) await fill(context, resource)
  const { resource, action } = operation
  const items = await itemsFor(context, operation)
  const request = await validChange(context, operation, items)
  const fields = changedFields(resource)
  const mayChange = (name: string) =>
    items.own.some((id) => name.endsWith(nameOf('', resource, id))) &&
    (action.kind === 'delete' || fields.some((field) => name.startsWith(nameOf(field, resource, ''))))
  const now = await steadyFields(context, items)
  const before = new Map([...now, ...first].filter(([name]) => !mayChange(name)))
  if (before.size === 0) throw new Skip('no operation lists anything that could change as well')
  const send = () => attempt(context, { operation, items, request, rule: 'accepted' })
  for (const sent of [send, () => orLost(call(context, operation, request))]) {
    await sent()
    let gone: readonly string[] = []
    // A list may still show an earlier state.
    await eventually(context, async () => {
      const after = await steadyFields(context, items)
      gone = [...before].flatMap(([name, value]) => (after.get(name) === value ? [] : [name]))
      return gone.length === 0
    })
    const names = gone.slice(0, 5).join(', ')
    if (names !== '') throw new Failure('nothing else changes', `after ${operation.name}, not as before: ${names}`)
  }
}

/** Brings the suite's items of a resource into a state that has something to lose, as far as the target lets it. */
async function fill(context: CheckContext, resource: Resource): Promise<void> {
  const list = listOf(resource)
  const loss = changesOf(resource).find(
    ({ action }) => action.kind === 'remove' || (action.kind === 'set' && Object.values(action.fields).includes(false)),
  )
  try {
    const items = itemsOfFixtures(resource, context.fixtures)
    for (const id of items?.own ?? []) {
      if (!items || !loss || !list) return
      const request = await validChange(context, loss, items, id)
      const state = await makeVisible(context, { operation: loss, request }, items)
      await observeUntil(
        context,
        items,
        (seen) => same(seen, state),
        () => observeIn(context, list, items),
      )
    }
  } catch (error) {
    if (!(error instanceof Skip)) throw error
  }
}
