/** Checks that a request changes nothing else: no other item, no other resource, and no other field of its item. */
import { contracts, type Resource, type StatedOperation } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { addValue, failOn, makeVisible, prepare, ruleForAbsent, sendChange } from '../../cases/state/change.ts'
import { createOne, itemsFor } from '../../cases/state/created-items.ts'
import { isSweepable } from '../../cases/state/declared.ts'
import {
  firstFields,
  isAsBefore,
  isOwnCollection,
  listedFields,
  nameOf,
  resourcesWithFixtures,
} from '../../cases/state/fields.ts'
import {
  changedFields,
  changesOf,
  type Items,
  itemsOfFixtures,
  listItems,
  listOf,
  observeIn,
  pageIn,
  pathOf,
  readOf,
  valuesIn,
} from '../../cases/state/items.ts'
import { markedLike } from '../../cases/state/own-items.ts'
import { type PathRequest, validChange } from '../../cases/state/requests.ts'
import { observeUntil, same } from '../../cases/state/seen.ts'
import { call, eventually } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import { expect, Failure, need, Skip, value, wrong } from '../../exchange/failure.ts'
import { fixturesOf } from '../../exchange/resources.ts'
import { isSuccess, jsonOf } from '../../exchange/response.ts'

/** The resources with fixtures, except that of an operation. */
export function othersOf({ resource }: StatedOperation): readonly Resource[] {
  return resourcesWithFixtures.filter((other) => other !== resource)
}

/**
 * Sends a valid request twice. After each, compares lists with those before the request and before the first write of the run: of
 * its resource, of each resource with fixtures, and of the items that contain its item or are in it. The second request may be
 * refused; a second deletion must be refused if `ruleForAbsent` requires this.
 *
 * @throws Failure if anything else changed: for fields, with their names only, because a value may be a secret; Skip if nothing is
 *   listed
 */
export async function leavesTheRest(context: CheckContext, operation: StatedOperation): Promise<void> {
  const first = await firstFields(context)
  const start = await listedFields(context, [])
  for (const resource of othersOf(operation)) await fill(context, resource)
  const { resource, action } = operation
  // For an addition, `addValue` sends the judged operation itself. Before the lists are read, that would hide its damage.
  const isAdd = action.kind === 'add'
  if (!isAdd) await addValue(context, operation)
  const items = await itemsFor(context, operation)
  const request = await validChange(context, operation, items)
  const fields = changedFields(resource)
  const isDelete = action.kind === 'delete'
  const mayChange = (name: string) =>
    items.own.some((id) => name.endsWith(nameOf('', resource, id))) &&
    (isDelete || fields.some((field) => name.startsWith(nameOf(field, resource, ''))))
  const below = await contentsOf(context, items)
  const isDeleted = ({ within }: Items) => isDelete && within.at(-1) === items.own[0]
  const left = below.filter((of) => !isDeleted(of))
  const related = [items, ...outerOf(items), ...(await siblingsOf(context, items)), ...left]
  const sent = { operation, items, request, rule: 'accepted' } as const
  await prepare(context, sent)
  // The lists are read only now, because this operation is not to blame for what others change while they prepare it.
  const now = await listedFields(context, related)
  const counts = await countsOf(context, related)
  if (isAdd) await addValue(context, operation)
  // Damage from before the check is reported once, and not again for each operation that follows.
  const early = [...first].filter(([name, value]) => !isAsBefore(value, start.get(name)))
  const isReported =
    early.length > 0 && (await context.once('first damage', async () => operation.name)) !== operation.name
  const before = new Map([...now, ...(isReported ? [] : early)].filter(([name]) => !mayChange(name)))
  if (before.size === 0) throw new Skip('no operation lists anything that could change as well')
  const expectRest = async (sent: number) => {
    let gone: readonly string[] = []
    // A list may still show an earlier state.
    await eventually(context, async () => {
      const after = await listedFields(context, related)
      gone = [...before].flatMap(([name, value]) => (isAsBefore(value, after.get(name)) ? [] : [name]))
      return gone.length === 0
    })
    const names = gone.slice(0, 5).join(', ')
    if (names !== '')
      throw new Failure(
        value(`nothing else changes by ${operation.name}`),
        wrong('something else changes', { field: names }),
      )
    await expectNoOthers(context, operation, { items, request, counts, sent })
    for (const of of below.filter(isDeleted)) await expectEmpty(context, of)
  }
  const one = await sendChange(context, sent)
  await expectRest(1)
  const rule = isDelete ? ruleForAbsent(operation) : 'open'
  const two = await sendChange(context, { operation, items: one.items, request, rule }, one.after)
  const list = 'value' in action ? Object.values(two.after).flatMap(([item]) => valuesIn(item, action)) : []
  const isSame = (each: unknown) => 'value' in action && each === toRecord(request.body)[action.value]
  context.observe(`${operation.interface}.${operation.name}.again`, {
    status: two.response?.status,
    ...(action.kind === 'add' && { kept: list.filter(isSame).length }),
  })
  // Another check reports the effect of the first request.
  if (one.differences.length === 0) failOn(two)
  await expectRest(2)
}

/**
 * Creates one item in each collection of the suite's items, and returns the collections. Items of the fixtures are left out,
 * because checks share them.
 */
async function contentsOf(context: CheckContext, { resource, own, within }: Items): Promise<Items[]> {
  if (fixturesOf(resource)) return []
  const all: Items[] = []
  for (const id of own)
    for (const inner of contracts[resource.interface].resources.filter(({ parent }) => parent === resource)) {
      const create = changesOf(inner).find((change) => change.action.kind === 'create')
      if (!create || !isSweepable(create) || !listOf(inner)) continue
      const empty = { resource: inner, own: [], within: [...within, id] }
      all.push({ ...empty, own: [await createOne(context, create, empty)] })
    }
  return all
}

function outerOf({ resource: { parent }, within }: Items): Items[] {
  if (!parent) return []
  const outer = { resource: parent, own: within.slice(-1), within: within.slice(0, -1) }
  return [outer, ...outerOf(outer)]
}

/** Returns the same collection in the other parent items of the suite. */
async function siblingsOf(context: CheckContext, items: Items): Promise<Items[]> {
  const read = items.resource.parent && readOf(items.resource.parent)
  if (!read || fixturesOf(read.resource)) return []
  const { own, within } = await itemsFor(context, read)
  return own.filter((id) => id !== items.within.at(-1)).map((id) => ({ ...items, own: [], within: [...within, id] }))
}

/** Fails if a request added too many items: to a collection that no other caller uses, or with the name of the request. */
async function expectNoOthers(
  context: CheckContext,
  { action, name, resource }: StatedOperation,
  { items, request, counts, sent }: { items: Items; request: PathRequest; counts: readonly Count[]; sent: number },
): Promise<void> {
  const expectAtMost = (of: Items, limit: number, count: number) =>
    expect(
      count <= limit,
      value(`at most ${limit} of ${of.resource.name} after ${name}`),
      wrong('a request adds too many items', { text: `${count} items` }),
    )
  for (const { of, count } of counts) {
    const mayAdd = action.kind === 'create' && of === items ? sent : 0
    expectAtMost(of, count + mayAdd, (await countsOf(context, [of]))[0]?.count ?? 0)
  }
  if (action.kind === 'create' && listOf(resource))
    expectAtMost(items, sent, (await markedLike(context, items, request.body)).length)
}

interface Count {
  readonly of: Items
  readonly count: number
}

async function countsOf(context: CheckContext, all: readonly Items[]): Promise<Count[]> {
  const counts: Count[] = []
  for (const of of all) {
    const list = listOf(of.resource)
    if (!list || !isOwnCollection(context, of)) continue
    const { length } = await listItems(context, list, of)
    // A list may not yet show what the check created.
    counts.push({ of, count: Math.max(length, of.own.length) })
  }
  return counts
}

/** Fails if a target still shows what a deleted item contained. */
async function expectEmpty(context: CheckContext, { resource, ...items }: Items): Promise<void> {
  const list = need(listOf(resource), `operation that lists each ${resource.name}`)
  let left: readonly unknown[] = []
  const isEmpty = async () => {
    const response = await call(context, list, { path: pathOf(list, { resource, ...items }) })
    left = isSuccess(response) ? (pageIn(jsonOf(response)).entries ?? []) : []
    return left.length === 0
  }
  const expected = value(`no ${resource.name} of a deleted item`)
  expect(await eventually(context, isEmpty), expected, () =>
    wrong('a deleted item still has items', { text: `${left.length} items` }),
  )
}

async function fill(context: CheckContext, resource: Resource): Promise<void> {
  const list = listOf(resource)
  const loss = changesOf(resource).find(
    ({ action }) => action.kind === 'remove' || (action.kind === 'set' && Object.values(action.fields).includes(false)),
  )
  const items = itemsOfFixtures(resource, context.fixtures)
  if (!items || !loss || !list) return
  try {
    for (const id of items.own) {
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
