/** The states that a check has seen. A comparison with them shows what a later request changed. */
import { apply, type ModelRequest, type ModelState, type Resource, type StatedOperation } from '@cdn/api/contract'
import { eventually } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import { expect, Failure } from '../../exchange/failure.ts'
import { type Items, itemLines, observe, otherState, othersOfFixtures, stateText } from './items.ts'

/**
 * Observes items until their state fits, for a few seconds at most. Returns the last state.
 *
 * @param read how to observe the items; by default with the operation that reads them
 */
export async function observeUntil(
  context: CheckContext,
  items: Items,
  fits: (state: ModelState) => boolean,
  read: typeof observe = observe,
): Promise<ModelState> {
  let state: ModelState = {}
  await eventually(context, async () => {
    state = await read(context, items)
    return fits(state)
  })
  return state
}

/** The last state that each check has seen, by the ids of the items, and whether nothing was sent since then. */
const seenStates = new WeakMap<CheckContext, Map<string, { readonly state: ModelState; readonly isLast: boolean }>>()

/**
 * Returns the state before a change. Reads may still show earlier changes of other checks, so they are repeated for some seconds, until
 * they show the state that this check saw last, or else the state that the previous check found. Every check restores that state.
 *
 * @throws Failure if an item that the run saw first no longer exists
 */
export async function currentState(context: CheckContext, items: Items): Promise<ModelState> {
  const key = keyOf(items)
  const run = await context.once(`first state of ${key}`, async () => {
    await otherItems(context, items.resource)
    const first = await observe(context, items)
    return { first, current: first }
  })
  const seen = seenStates.get(context)?.get(key)
  if (seen?.isLast) return seen.state
  const expected = seen?.state ?? run.current
  const state = await observeUntil(context, items, (each) => same(each, expected))
  // Later checks also find what the sweep could not restore.
  if (!seen) run.current = state
  for (const [path, all] of Object.entries(run.first))
    if ((state[path]?.length ?? 0) < all.length)
      throw new Failure(
        stateText(run.first),
        otherState(run.first, state, 'an item is gone that was there before the first write'),
      )
  remember(context, items, state, same(state, expected))
  return state
}

/** The items of the fixtures that the suite only reads, as they were before the first write. */
function otherItems(context: CheckContext, resource: Resource): Promise<ModelState> {
  const read = () => observe(context, othersOfFixtures(resource, context.fixtures))
  return context.once(`first state of each other ${resource.name}`, read)
}

/** Fails if an item of the fixtures that the suite only reads is no longer as it was before the first write. */
export async function expectOthers(context: CheckContext, resource: Resource): Promise<void> {
  const items = othersOfFixtures(resource, context.fixtures)
  if (items.own.length === 0) return
  const first = await otherItems(context, resource)
  const last = await observeUntil(context, items, (state) => same(state, first))
  expect(same(last, first), stateText(first), () => otherState(first, last, 'another item has changed'))
}

/**
 * Remembers the state of items for the next change of the same check.
 *
 * @param isLast whether the state is certain, so that it is not read again
 */
export function remember(context: CheckContext, items: Items, state: ModelState, isLast = true): void {
  const states = seenStates.get(context) ?? new Map()
  seenStates.set(context, states.set(keyOf(items), { state, isLast }))
}

/** Marks the known states as uncertain after requests whose effects were not read, so that the next change reads them again. */
export function forget(context: CheckContext): void {
  const states = seenStates.get(context) ?? []
  for (const [key, { state }] of states) seenStates.get(context)?.set(key, { state, isLast: false })
}

/** Notes the state that the next read should show after a success whose effect was not read. */
export function predict(
  context: CheckContext,
  { operation, items, request }: { operation: StatedOperation; items: Items; request: ModelRequest },
): void {
  const known = seenStates.get(context)?.get(keyOf(items))?.state
  const state = known && apply(known, operation, request)[0]?.state
  if (state) remember(context, items, state, false)
}

function keyOf({ resource, within, own }: Items): string {
  return JSON.stringify([resource.name, ...within, ...own])
}

/** Whether two states are equal, whatever the order of items and lists. */
export function same(one: ModelState, other: ModelState): boolean {
  return itemLines(one).join('\n') === itemLines(other).join('\n')
}
