/**
 * Decides which changes are sent to a resource. The judge of the state decides what the reads afterwards may show, so a play compares
 * nothing: it sends each kind of change alone between two reads, then requests at once, and then sequences at random.
 */

import { operations as allOperations, type StatedOperation } from '@cdn/api/contract'
import { mulberry32 } from '@cdn/kit/mulberry32'
import { toRecord } from '@cdn/kit/record'
import { hourMs } from '@cdn/kit/time'
import { percentEncodeAll } from '../../cases/logs/notations.ts'
import { noEffectWithoutCredential } from '../../cases/plain-cases.ts'
import { itemsFor } from '../../cases/state/created-items.ts'
import { isSweepable } from '../../cases/state/declared-state.ts'
import { changesOf, type Items, idsOf, pathOf, resourcesWithFixtures } from '../../cases/state/items.ts'
import { judgeWrites } from '../../cases/state/judge-writes.ts'
import { ageOfReads, readResources, sendOpposite, sendOpposites } from '../../cases/state/read-resources.ts'
import { oddValues, type PathRequest, refusableValues, relatedValues, validChange } from '../../cases/state/requests.ts'
import { call, type RequestParts, resultOrLost, sufficientCredentials } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import type { Answered, NoEffectReason } from '../../exchange/exchange.ts'
import { ignoreSkip, LostResponse } from '../../exchange/failure.ts'
import type { HistoryEntry } from '../../exchange/history.ts'
import { newName } from '../../exchange/own-names.ts'
import { type Decides, requirementOf } from '../../exchange/requirements.ts'
import { fixturesOf } from '../../exchange/resources.ts'
import type { StateJudgement } from '../../rules/state/judge.ts'
import { isWrite } from '../../rules/state/registers.ts'

/** What a play showed: the verdict of the judge, the requests of the play, and the responses by the names of the steps. */
export interface Play extends StateJudgement {
  readonly entries: readonly HistoryEntry[]
  readonly responses: ReadonlyMap<string, Answered>
}

/** Time in ms after which a changed state is read again. It is longer with a virtual clock, which does not sleep. */
const lastingMs = { live: 32_000, virtual: hourMs } as const
/** Pause between two reads without a write, in ms. A field that differs between them changes on its own. */
const movingMs = { live: 2_000, virtual: 60_000 } as const
/** Number of requests that are sent at once. */
const parallelRequests = 4
/** Number of random steps. */
const randomSteps = { live: 12, virtual: 24 } as const

/** Methods that change nothing (RFC 9110 §9.2.1, RFC 4918 §9.1), whatever a server does with them. */
const safe = ['GET', 'HEAD', 'OPTIONS', 'PROPFIND'] as const
/** Methods that a server may take for the stated one. None deletes anything. */
const unsafe = ['POST', 'PUT', 'PATCH'] as const

/** A step of a play: requests, after which the play reads the state. */
interface Step {
  readonly name: string
  readonly send: () => Promise<readonly (Answered | undefined)[]>
  /** Whether the read after the step covers only items that the suite may change. */
  readonly isBrief?: boolean
}

/** Plays an operation once per run. */
export function playOf(context: CheckContext, operation: StatedOperation): Promise<Play> {
  return context.once(`play of ${operation.interface} ${operation.name}`, () => play(context, operation))
}

async function play(context: CheckContext, operation: StatedOperation): Promise<Play> {
  const from = context.history.length
  await context.once('fields that move', async () => {
    await readResources(context)
    await context.wait(movingMs[context.virtualClock ? 'virtual' : 'live'])
  })
  await fillOthers(context, operation)
  await readResources(context)
  const responses = new Map<string, Answered>()
  const age = await ageOfReads(context)
  for (const step of await stepsOf(context, operation)) {
    // A step that cannot be prepared exercises nothing.
    const [first] = (await step.send().catch(ignoreSkip)) ?? []
    if (first) responses.set(step.name, first)
    // If reads may be old, one wait at the end serves all steps.
    if (age.ms === 0)
      await readResources(context, step.isBrief ? { isBrief: true, resources: [operation.resource] } : {})
  }
  await judgeWrites(context, from)
  await context.wait(lastingMs[context.virtualClock ? 'virtual' : 'live'])
  await readResources(context)
  const verdict = await judgeWrites(context, from)
  return { ...verdict, entries: context.history.slice(from), responses }
}

/** Gives the fixtures of other resources values that can be lost, so that damage to them shows. */
async function fillOthers(context: CheckContext, { resource }: StatedOperation): Promise<void> {
  for (const other of resourcesWithFixtures.filter((each) => each !== resource)) {
    const changes = changesOf(other)
    const loss = changes.find(
      ({ action }) =>
        action.kind === 'remove' || (action.kind === 'set' && Object.values(action.fields).includes(false)),
    )
    if (!loss) continue
    const items = { resource: other, own: idsOf(fixturesOf(other)?.own ?? [], context.fixtures), within: [] }
    for (const id of items.own) {
      const request = await validChange(context, loss, items, id)
      await sendOpposite(context, loss, request).catch(ignoreSkip)
    }
  }
}

async function stepsOf(context: CheckContext, operation: StatedOperation): Promise<Step[]> {
  const { action, resource } = operation
  const isItemChange = action.kind !== 'create' && action.kind !== 'delete'
  let last: { readonly items: Items; readonly request: PathRequest } | undefined
  const valid = async (changes: Partial<RequestParts> & { id?: string } = {}) => {
    const from = context.history.length
    const items = await itemsFor(context, operation)
    const isNew = context.history.slice(from).some((entry) => isWrite(entry))
    const { id, ...others } = changes
    const request = { ...(await validChange(context, operation, items, id)), ...others }
    // Each item gets a state that the change would change, so that a change of the wrong item shows.
    const paths = isItemChange ? items.own.map((each) => pathOf(operation, items, each)) : []
    await sendOpposites(
      context,
      operation,
      paths.map((path) => ({ ...request, path })),
      isNew,
    )
    last = { items, request }
    return [await sent(context, operation, request)]
  }
  const [, ...credentials] = sufficientCredentials(context, operation)
  const values = 'value' in action ? valueSteps(context, operation, action) : []
  const distant = fixturesOf(resource)?.own.slice(1) ?? []
  return [
    { name: 'valid', send: () => valid() },
    { name: 'again', send: async () => (last ? [await sent(context, operation, last.request)] : []), isBrief: true },
    ...withContents(context, operation),
    ...credentials.map(
      (credential): Step => ({ name: 'credential', send: () => valid({ credential }), isBrief: true }),
    ),
    // The same id in another spelling (RFC 3986 §6.2.2.2) may be refused. A success must have its effect.
    ...(action.kind === 'create'
      ? []
      : [{ name: 'spelling', send: () => valid({ encode: percentEncodeAll }), isBrief: true }]),
    ...distant.flatMap((name): Step[] => {
      const id = context.fixtures[name]
      return id === undefined ? [] : [{ name, send: () => valid({ id }) }]
    }),
    ...(action.kind === 'create' ? [] : otherMethods(context, operation)),
    // Twice, because a single loss proves nothing.
    afterRefusal(context, operation),
    afterRefusal(context, operation),
    ...values,
    ...(isItemChange ? [together(context, operation), ...randomly(context, operation)] : []),
    // The last change is the one that must last.
    { name: 'last', send: () => valid() },
  ]
}

/** Sends a request; undefined if its response is lost. */
async function sent(
  context: CheckContext,
  operation: StatedOperation,
  request: RequestParts,
): Promise<Answered | undefined> {
  const response = await resultOrLost(call(context, operation, request))
  return response instanceof LostResponse ? undefined : response
}

/**
 * Creates an item in each collection that the suite's items contain, and then sends the operation. Returns no step if the items contain no
 * collection.
 */
function withContents(context: CheckContext, operation: StatedOperation): Step[] {
  const inner = allOperations.filter(
    (each): each is StatedOperation =>
      each.action?.kind === 'create' && each.resource?.parent === operation.resource && isSweepable(each),
  )
  const send = async () => {
    const items = await itemsFor(context, operation)
    for (const create of inner)
      for (const id of items.own) {
        const within = { resource: create.resource, own: [], within: [...items.within, id] }
        await sent(context, create, await validChange(context, create, within))
      }
    await readResources(context)
    return [await sent(context, operation, await validChange(context, operation, items))]
  }
  return inner.length > 0 ? [{ name: 'contents', send }] : []
}

/** The unsafe methods that a play sends to the path of an operation; none to the path of an item, which may support unstated methods. */
export function unsafeMethods({ action, path }: StatedOperation): readonly string[] {
  if (action.kind === 'create' || path.endsWith('}')) return []
  return unsafe.filter((method) => !methodsOf(path).includes(method))
}

function methodsOf(path: string): readonly string[] {
  return allOperations.flatMap((each) => (each.path === path ? each.method.toUpperCase() : []))
}

/** Sends methods that the contract does not state. Safe methods carry the values of the change in the query, all others in the body. */
function otherMethods(context: CheckContext, operation: StatedOperation): Step[] {
  const stated = methodsOf(operation.path)
  const methods = [...safe.filter((method) => !stated.includes(method)), ...unsafeMethods(operation)]
  return methods.map((method) => ({
    name: method,
    isBrief: true,
    send: async () => {
      const items = await itemsFor(context, operation)
      const { path, body } = await validChange(context, operation, items)
      await sendOpposites(context, operation, [{ path, body }])
      const texts = Object.entries(toRecord(body)).filter(
        (each): each is [string, string] => typeof each[1] === 'string',
      )
      const isSafe = safe.some((each) => each === method)
      // The contract leaves open what an operation that it does not state does, but no safe method changes anything.
      const breaks = isSafe ? [] : [requirementOf(operation, { decides: '<operation>.other-methods' }).id]
      const noEffect: NoEffectReason = { name: `with ${method}`, breaks }
      const request = { path, method, noEffect, ...(isSafe ? { query: Object.fromEntries(texts) } : { body }) }
      await call(context, operation, request, { seeAnyStatus: true }).catch(ignoreSkip)
      return []
    },
  }))
}

/** Steps with values that a server may confuse, and with values of odd forms. */
function valueSteps(
  context: CheckContext,
  operation: StatedOperation,
  action: { readonly kind: string; readonly value: string },
): Step[] {
  const add = changesOf(operation.resource).find(({ action: { kind } }) => kind === 'add')
  const related = relatedValues()
  const step = (of: StatedOperation, value: string): Step => ({
    name: 'value',
    isBrief: true,
    send: async () => {
      const items = await itemsFor(context, of)
      const request = { ...(await validChange(context, of, items)), body: { [action.value]: value } }
      if (of === operation && action.kind === 'remove' && !related.includes(value))
        await sendOpposites(context, of, [request])
      return [await sent(context, of, request)]
    },
  })
  const longer = newName()
  const steps = [...related, longer, `${longer}.conformance.invalid`, ...oddValues()].map((value) =>
    step(operation, value),
  )
  // A removal must select its value among all of these.
  if (action.kind === 'remove') return [...(add ? [...related, longer].map((value) => step(add, value)) : []), ...steps]
  return [...steps, ...refusableValues().map((value) => step(operation, value))]
}

/**
 * Sends a request that is refused, and then a valid one, because a server may mistake the valid one for a repetition. A read between them
 * shows which of them changes something.
 */
function afterRefusal(context: CheckContext, operation: StatedOperation): Step {
  const idOf = (decides: Decides) => requirementOf(operation, { decides }).id
  const send = async () => {
    const items = await itemsFor(context, operation)
    const request = await validChange(context, operation, items)
    await sendOpposites(context, operation, [request])
    const noEffect: NoEffectReason = {
      name: 'with a body that is cut off',
      breaks: [idOf('<operation>.request-object')],
      breaksIfRefused: [idOf('<operation>.robustness')],
    }
    const refused: RequestParts = operation.requestBody?.content['application/json']
      ? { body: '{', noEffect }
      : { credential: undefined, noEffect: noEffectWithoutCredential(operation) }
    await call(context, operation, { ...request, ...refused }, { seeAnyStatus: true })
    if ((await ageOfReads(context)).ms === 0)
      await readResources(context, { isBrief: true, resources: [operation.resource] })
    return [await sent(context, operation, request)]
  }
  return { name: 'after a refusal', send, isBrief: true }
}

/** Sends changes at once: of different values to one list, or the same change to each item of the suite. */
function together(context: CheckContext, operation: StatedOperation): Step {
  const { action } = operation
  const send = async () => {
    const items = await itemsFor(context, operation)
    const requests =
      'value' in action
        ? await Promise.all(Array.from({ length: parallelRequests }, () => validChange(context, operation, items)))
        : await Promise.all(items.own.map((id) => validChange(context, operation, items, id)))
    await sendOpposites(context, operation, requests)
    return Promise.all(requests.map((request) => sent(context, operation, request)))
  }
  return { name: 'at once', send, isBrief: true }
}

/** Random changes of the items of a resource. There are few values, so that some changes add a present value or remove a missing one. */
function randomly(context: CheckContext, operation: StatedOperation): Step[] {
  const changes = changesOf(operation.resource).filter(
    (each) => isSweepable(each) && each.action.kind !== 'create' && each.action.kind !== 'delete',
  )
  const random = mulberry32(context.seed)
  const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)]
  const names = [newName(), newName()]
  const step = (): Step => ({
    name: 'random',
    isBrief: true,
    send: async () => {
      const change = pick([operation, ...changes]) ?? operation
      const items = await itemsFor(context, change)
      const request = await validChange(context, change, items, pick(items.own))
      const body = 'value' in change.action ? { body: { [change.action.value]: pick(names) } } : {}
      return [await sent(context, change, { ...request, ...body })]
    },
  })
  return Array.from({ length: randomSteps[context.virtualClock ? 'virtual' : 'live'] }, step)
}
