/** Checks of what the contract states about the state: what each operation changes, and what it leaves as it is. */

import { operations as allOperations, type StatedOperation } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { inHexadecimal } from '../../cases/logs/notations.ts'
import {
  addValue,
  confirmed,
  type Expectation,
  failOn,
  makeVisible,
  ruleForAbsent,
  sendChange,
  sendValidChange,
} from '../../cases/state/change.ts'
import { itemsFor } from '../../cases/state/created-items.ts'
import { isSweepable } from '../../cases/state/declared.ts'
import {
  itemNeeds,
  type ListAction,
  listItems,
  listOf,
  type observe,
  observeIn,
  otherState,
  pathOf,
  readOf,
  stateText,
  valuesIn,
} from '../../cases/state/items.ts'
import { isOwnName, oddValues, refusableValues, relatedValues, validChange } from '../../cases/state/requests.ts'
import { currentState, expectOthers, observeUntil, same } from '../../cases/state/seen.ts'
import { call, eventually, sufficientCredentials } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import type { Answered } from '../../exchange/exchange.ts'
import { expect, Failure, need, oneStatus, Skip, value, wrong } from '../../exchange/failure.ts'
import {
  type ChecksOf,
  type Decided,
  type Decides,
  type Decision,
  decide,
  itemName,
  needsOf,
  ofId,
} from '../../exchange/requirements.ts'
import { fixturesOf } from '../../exchange/resources.ts'
import { isSuccess, jsonOf, placesIn, prepared, statusOf } from '../../exchange/response.ts'
import { leavesTheRest, othersOf } from './frame.ts'
import { isItemChange, runSequences } from './sequences.ts'

/** Time in ms after which a changed state is read again. It is longer with a virtual clock, which does not sleep. */
const lastingMs = { live: 32_000, virtual: 3_600_000 } as const

type Run = (context: CheckContext) => Promise<void>

/** Checks of an operation that changes a resource; none if no sweep can undo the change. */
export const stateChecks: ChecksOf = (operation) => {
  if (!isSweepable(operation)) return []
  const { action, resource } = operation
  const isChange = isItemChange(operation)
  // Without a read of one item, every check reads the list.
  const isInList = !isChange && listOf(resource) && readOf(resource)?.action.kind !== 'list'
  const runs: Readonly<Record<Decides, Run | false | undefined>> = {
    '<operation>.effect': async (context) => failOn(await sendValidChange(context, operation), 'response', 'effect'),
    '<operation>.effect/credentials': (context) => withEachCredential(context, operation),
    '<operation>.effect/nothing-else': (context) => leavesTheRest(context, operation),
    // A creation has no item yet that another method could change.
    '<operation>.effect/other-methods': action.kind !== 'create' && ((context) => otherMethods(context, operation)),
    '<operation>.effect/lasting': (context) => lasting(context, operation),
    '<operation>.effect/sequence': isChange && ((context) => runSequences(context, operation)),
    '<operation>.effect/list': isInList && ((context) => listed(context, operation)),
    '<operation>.one-per-call': 'value' in action && ((context) => onePerCall(context, operation, action)),
    '<operation>.effect/values': 'value' in action && ((context) => values(context, operation, action)),
    '<operation>.collection': action.kind === 'add' && ((context) => collection(context, operation, action)),
  }
  return [
    ...Object.entries(runs).flatMap(([decides, run]) =>
      run ? [ofState(operation, { decides: decides as Decides }, run)] : [],
    ),
    ...ids(operation),
    ...(action.kind === 'delete' ? gone(operation) : []),
  ]
}

function ofState(
  operation: StatedOperation,
  { needs: further = [], ...details }: Pick<Decision, 'decides' | 'values' | 'part' | 'needs'>,
  run: Run,
): Decided {
  const { needs, uses } = itemNeeds(operation)
  const [decides = ''] = [details.decides].flat()
  // These requirements also cover the items that the suite only reads.
  const isAboutOthers = ['<operation>.effect', '<operation>.<item>-id'].some((start) => decides.startsWith(start))
  // This check also writes to other fixtures, so that a loss of their values shows.
  const written = decides.endsWith('/nothing-else')
    ? othersOf(operation).flatMap((other) => fixturesOf(other)?.own ?? [])
    : []
  return decide(operation, {
    ...details,
    basis: 'supplement',
    // The deletion of a watermark prepares a check of its upload.
    effect: operation.action.kind === 'set' ? 'destructive' : operation.effect,
    needs: [...new Set([...needsOf(operation), ...needs, ...further])],
    uses: [...uses, ...written, ...(written.length > 0 ? (['watermarkFile'] as const) : [])],
    run: confirmed(operation, async (context) => {
      await run(context)
      if (isAboutOthers) await expectOthers(context, operation.resource)
    }),
  })
}

/** Checks that a read of a deleted item is answered 404, if the contract states this for an item that does not exist. */
function gone(operation: StatedOperation): Decided[] {
  const read = readOf(operation.resource)
  if (read?.action.kind !== 'read' || ruleForAbsent(read) !== 'refused') return []
  const run = async (context: CheckContext) => {
    const { items, response } = await sendValidChange(context, operation)
    if (!response || !isSuccess(response)) throw new Skip('nothing was deleted')
    let last: Answered | undefined
    await eventually(context, async () => {
      last = await call(context, read, { path: pathOf(read, items, items.own[0]) })
      return last.status === 404
    })
    if (last?.status !== 404 && last)
      throw new Failure(oneStatus([404], 'an item that was deleted'), statusOf(last), { responses: [last] })
  }
  const { check } = ofState(operation, { decides: '<operation>.effect' }, run)
  const { effect, needs, uses = [] } = check
  const decides = '<operation>.404/deleted'
  return [decide(read, { decides, basis: 'supplement', effect, needs, uses, run: check.run })]
}

/** Methods that change nothing (RFC 9110 §9.2.1, RFC 4918 §9.1), whatever a server does with them. */
const safe = ['GET', 'HEAD', 'OPTIONS', 'PROPFIND'] as const
/** Methods that a server may take for the stated one. None deletes anything. */
const unsafe = ['POST', 'PUT', 'PATCH'] as const

/**
 * Sends methods that the contract does not state to the path of a change. They must change nothing, whatever the response. A safe
 * method carries the values of the change in its query; the other methods carry the body of the change.
 */
async function otherMethods(context: CheckContext, operation: StatedOperation): Promise<void> {
  // The list needs a value, so that the check notices a request that removes one.
  await addValue(context, operation)
  const items = await itemsFor(context, operation)
  const { path, body } = await validChange(context, operation, items)
  const before = await makeVisible(context, { operation, request: { path, body } }, items)
  const stated = allOperations
    .filter((other) => other.path === operation.path)
    .map(({ method }) => method.toUpperCase())
  const values = Object.entries(toRecord(body)).filter(([, value]) => typeof value === 'string') as [string, string][]
  // On the path of an item, an unsafe method may exist that the contract leaves out.
  const others = operation.path.endsWith('}') ? [] : unsafe
  const requests = [
    ...safe.map((method) => ({ path, query: Object.fromEntries(values), method })),
    ...others.map((method) => ({ path, body, method })),
  ]
  for (const request of requests.filter(({ method }) => !stated.includes(method))) {
    const { method } = request
    await call(context, operation, request, { seeAnyStatus: true })
    const after = await observeUntil(context, items, (seen) => same(seen, before))
    expect(same(after, before), stateText(before), () => otherState(before, after, `changes after ${method}`))
  }
}

/** Checks the effect of a change with each sufficient credential: each scheme, and each scope in a key and in a token. */
async function withEachCredential(context: CheckContext, operation: StatedOperation): Promise<void> {
  for (const credential of sufficientCredentials(context, operation)) {
    const seen = await sendValidChange(context, operation, { credential })
    // The checks of the credentials report a refusal.
    if (seen.response && isSuccess(seen.response)) failOn(seen)
  }
}

async function lasting(context: CheckContext, operation: StatedOperation): Promise<void> {
  const { after, items, differences } = await sendValidChange(context, operation)
  if (differences.length > 0) throw new Skip('there was no effect that could last')
  await context.wait(lastingMs[context.virtualClock ? 'virtual' : 'live'])
  const expectState = async (how: string, read?: typeof observe) => {
    const state = await observeUntil(context, items, (seen) => same(seen, after), read)
    expect(same(state, after), stateText(after), () => otherState(after, state, how))
  }
  await expectState('does not last')
  const list = listOf(operation.resource)
  if (list && isItemChange(operation))
    await expectState('is another one in the list', () => observeIn(context, list, items))
}

/** Checks that the list of the resource shows an item that was created, and no longer shows one that was deleted. */
async function listed(context: CheckContext, operation: StatedOperation): Promise<void> {
  const list = need(listOf(operation.resource), `operation that lists each ${operation.resource.name}`)
  const { items, differences } = await sendValidChange(context, operation)
  if (differences.length > 0) throw new Skip('there was no effect that a list could show')
  const isCreate = operation.action.kind === 'create'
  const id = isCreate ? items.own.at(-1) : items.own[0]
  const entries = await listItems(context, list, items)
  const isListed = entries.some((entry) => String(entry[operation.resource.id ?? '']) === id)
  const expected = value(`a list ${isCreate ? 'with' : 'without'} the item ${id}`)
  const seen = wrong(isCreate ? 'the list lacks a new item' : 'the list has a deleted item', {
    text: `${entries.length} items`,
  })
  expect(isListed === isCreate, expected, seen)
}

async function onePerCall(context: CheckContext, operation: StatedOperation, action: ListAction): Promise<void> {
  const items = await itemsFor(context, operation)
  const request = await validChange(context, operation, items)
  // A longer value that begins like the one of the request is another value.
  await addValue(context, operation, `${toRecord(request.body)[action.value]}.conformance.invalid`)
  failOn(await sendChange(context, { operation, items, request, rule: 'accepted' }), 'rest')
}

/** Checks that a list is a set of exact texts, with many values, some of which overlap or have odd forms. */
async function values(context: CheckContext, operation: StatedOperation, action: ListAction): Promise<void> {
  const items = await itemsFor(context, operation)
  const send = async (value: string, rule: Expectation) => {
    const request = { ...(await validChange(context, operation, items)), body: { [action.value]: value } }
    failOn(await sendChange(context, { operation, items, request, rule }))
  }
  const related = relatedValues()
  // A removal must select its value among all of these.
  if (action.kind === 'remove') for (const value of related) await addValue(context, operation, value)
  for (const value of related) await send(value, 'open')
  for (const value of oddValues()) await send(value, 'accepted')
  if (action.kind === 'add') for (const value of refusableValues()) await send(value, 'open')
  if (action.kind === 'add') return
  // Also remove the values that other checks left, because the last value of a list can be removed, too.
  const left = Object.values(await currentState(context, items)).flatMap((all) => valuesIn(all[0], action))
  for (const value of left.filter(isOwnName)) await send(String(value), 'accepted')
}

async function collection(context: CheckContext, operation: StatedOperation, action: ListAction): Promise<void> {
  const { items } = await sendValidChange(context, operation)
  const read = need(readOf(operation.resource), 'operation that reads the resource')
  const response = prepared(await call(context, read, { path: pathOf(read, items, items.own[0]) }), 'reading')
  const item = toRecord(jsonOf(response))
  const strings = Array.isArray(item[action.field]) && valuesIn(item, action).every((each) => typeof each === 'string')
  const at = placesIn(response, action.field)
  expect(
    strings,
    value('a collection of strings'),
    wrong('the field is not a list of strings', { field: action.field, at }),
    { responses: [response] },
  )
}

/** Checks that the id in the path selects the item, and that other items stay as they are. */
function ids(operation: StatedOperation): Decided[] {
  if (operation.action.kind === 'create') return []
  const values = itemName(operation)
  const far = {
    decides: ['<operation>.<item>-id/distant', '<operation>.id/distant'],
    values,
    part: 'an id beyond 32 bits',
  } as const
  return [
    ofState(operation, { decides: ofId, values, part: 'other items' }, async (context) => {
      failOn(await sendValidChange(context, operation), 'other-items')
      // The same id in another spelling (RFC 3986 §6.2.2.2) may be refused. A success must have its effect.
      failOn(await sendValidChange(context, operation, { encode: inHexadecimal, rule: 'open' }))
    }),
    ...(fixturesOf(operation.resource)?.own.slice(1) ?? []).map((name) =>
      ofState(operation, { ...far, needs: [name] }, async (context) =>
        failOn(await sendValidChange(context, operation, { id: need(context.fixtures[name], name) })),
      ),
    ),
  ]
}
