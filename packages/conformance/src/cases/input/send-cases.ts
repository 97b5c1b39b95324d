/**
 * Sends the cases of an operation. The checks of a run share the response to each case.
 */
import { isStated, type Operation, type Resource, type StatedOperation } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { hourMs } from '@cdn/kit/time'

import { call, type RequestParts } from '../../exchange/call.ts'
import type { CheckContext } from '../../exchange/check.ts'
import type { Answered, NoEffectReason, ReceivedResponse } from '../../exchange/exchange.ts'
import { Failure, ignoreSkip, LostResponse, Skip } from '../../exchange/failure.ts'
import type { HistoryEntry } from '../../exchange/history.ts'
import { hasMark, hasRunMark } from '../../exchange/own-names.ts'
import { type Decides, itemName, ofId, requirementOf } from '../../exchange/requirements.ts'
import { fixturesOf, fixturesOfOperation, idParameterOf, idPath, needsNewItem } from '../../exchange/resources.ts'
import { isSuccess, jsonOf, parseOrUndefined } from '../../exchange/response.ts'
import { states404 } from '../../rules/state/registers.ts'
import { burstZone } from '../bursts.ts'
import { maxSample, rangeQuery, shownDay } from '../logs/rows.ts'
import { requireSweepable } from '../state/declared-state.ts'
import { changesOf, type Items, idIn, listItems, pathOf, readOf, valuesIn } from '../state/items.ts'
import { sendAndRead, sendOpposites } from '../state/read-resources.ts'
import { type PathRequest, validChange } from '../state/requests.ts'
import { requestWithItems, validRequest } from '../success-status.ts'

import { type InputCase, inputCases } from './input-cases.ts'

/** Half of the length in ms of the range in a valid query. The cases of `from` and `to` send the time in the middle of this range. */
const rangeMs = 30_000
/** Number of server errors to one request that count as a crash. A valid request between them must succeed. */
const crashAttempts = 3

/** The cases of an operation, and the valid request that they change. */
export interface Inputs {
  readonly operation: Operation
  readonly request: RequestParts
  readonly cases: readonly InputCase[]
  readonly items?: Items
}

/** Makes a value once per run. If the operation needs an item that exists only during a check, makes the value again each time. */
function shared<T>(context: CheckContext, operation: Operation, key: string, make: () => Promise<T>): Promise<T> {
  return needsNewItem(operation) ? make() : context.once(`${key} of ${operation.name}`, make)
}

/**
 * Returns the cases of an operation. The stored case of a check comes first; in a replay, it is the only one.
 *
 * @throws Skip if a replay has a stored case that the operation no longer has
 */
export async function inputsOf(context: CheckContext, operation: Operation): Promise<Inputs> {
  const inputs = await shared(context, operation, 'inputs', () => makeInputs(context, operation))
  const { input, text } = context.stored?.[0] ?? {}
  if (input === undefined) return inputs
  const first = inputs.cases.filter(({ label }) => label === input).map((each) => withText(each, text))
  if (context.replay && first.length === 0) throw new Skip(`the operation has no case ${JSON.stringify(input)} today`)
  const others = context.replay ? [] : inputs.cases.filter(({ label }) => label !== input)
  return { ...inputs, cases: [...first, ...others] }
}

async function makeInputs(context: CheckContext, operation: Operation): Promise<Inputs> {
  const resource = fixturesOfOperation(operation)
  const { request, items } = await requestWithItems(context, operation, readRequest)
  const created = needsNewItem(operation) ? request.path[idParameterOf(operation) ?? ''] : undefined
  const [id = created, absent] = resource ? [context.fixtures[resource.own[0]], context.fixtures[resource.absent]] : []
  const taken = await takenIds(context, operation)
  const cases = inputCases(operation, { request, id, absent, now: context.now() }).filter(
    (each) => !isUnmarkedCreation(context, operation, each) && !isTaken(each, absent, taken),
  )
  // A search through a long file, or a response with all its lines, could take minutes.
  const isLong = operation.responses.some(({ line }) => line) && !(await isShortFile(context))
  return {
    operation,
    request,
    cases: isLong ? cases.filter(({ kind, place }) => kind === 'broken' || place !== 'query') : cases,
    ...(items && { items }),
  }
}

/** The ids that a fixture names, or that the list of the resource shows. */
async function takenIds(context: CheckContext, operation: Operation): Promise<ReadonlySet<string>> {
  const named = Object.values(context.fixtures).filter((id) => typeof id === 'string')
  const { resource } = operation
  if (!resource || resource.parent || !fixturesOf(resource)) return new Set(named)
  const listed = await context.once(`ids of each ${resource.name}`, async () => {
    const items = await listItems(context, { resource, own: [], within: [] }).catch(() => [])
    return items.map((item) => String(item[resource.id ?? '']))
  })
  return new Set([...named, ...listed])
}

/** Whether a generated id that should be absent belongs to an item. */
function isTaken({ kind, place, change }: InputCase, absent: string | undefined, taken: ReadonlySet<string>): boolean {
  const ids = Object.values(change.path ?? {}).filter((id) => id !== absent)
  return kind === 'absent' && place === 'path' && ids.some((id) => taken.has(id))
}

/**
 * Whether a case creates an item without the mark of the suite on a live platform. A sweep could not find such an item after a killed run.
 */
function isUnmarkedCreation({ virtualClock }: CheckContext, { action }: Operation, { kind, change }: InputCase) {
  if (virtualClock || action?.kind !== 'create' || kind !== 'met' || change.body === undefined) return false
  return !hasMark(parseOrUndefined(String(change.body)))
}

/** Replaces the text of a case, if the case has one. */
export function withText(each: InputCase, text: string | undefined): InputCase {
  return text === undefined || !each.changeTo ? each : { ...each, text, change: each.changeTo(text) }
}

function isShortFile(context: CheckContext): Promise<boolean> {
  return shownDay(context).then(
    ({ lines }) => lines.length < maxSample,
    () => true,
  )
}

async function readRequest(context: CheckContext, operation: Operation): Promise<RequestParts> {
  // If the fixtures have two pull zones, the operations with a rate limit use different ones, so that their checks can run in parallel.
  const path = operation.rateLimit ? idPath(operation, burstZone(context, operation)) : {}
  const request = await validRequest(context, operation)
  // A search through the default range of a busy pull zone could take minutes.
  const hasRange = operation.parameters.some(({ name, schema }) => name === 'from' && schema.format === 'date-time')
  const hourAgo = context.now().getTime() - hourMs
  const short = hasRange ? rangeQuery(hourAgo - rangeMs, hourAgo + rangeMs) : {}
  return { ...request, path: { ...request.path, ...path }, query: { ...request.query, ...short } }
}

/**
 * Judges the responses to cases, one after another. Sends no write to an existing item except that of the valid request. A
 * case that fails is sent again, so that it is in the evidence of the check.
 *
 * @param verify throws a Failure if the response is wrong
 * @throws Failure for a case
 */
export async function judgeCases(
  context: CheckContext,
  inputs: Inputs,
  cases: readonly InputCase[],
  verify: (response: Answered, each: InputCase) => void,
): Promise<void> {
  const { operation, request } = inputs
  // A request that meets several constraints is sent once: a second deletion of the same item would be refused.
  const keyOf = ({ kind, change }: InputCase) =>
    `${kind} case ${JSON.stringify({ ...change, path: { ...request.path, ...change.path } })}`
  for (const [key, [each, ...same]] of Map.groupBy(cases, keyOf)) {
    if (!each) continue
    if (operation.effect !== 'read' && (await isOfOther(context, inputs, each))) continue
    const isStored = each.text !== undefined && each.text === context.stored?.[0]?.text
    const sendEach = () => sendCase(context, inputs, each)
    const sent = await (isStored ? sendEach() : shared(context, operation, key, sendEach))
    for (const _ of [each, ...same]) context.count()
    try {
      verify(sent, each)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      await sendEach().catch(() => undefined)
      throw withCase(error, operation, each)
    }
  }
}

/** Adds the case to a failure, so that it is stored and can be replayed. */
export function withCase({ expected, seen, proof }: Failure, { name }: Operation, each: InputCase): Failure {
  const { label, text, parameter } = each
  return new Failure(expected, seen, {
    ...proof,
    calls: [{ operation: name, input: label, ...(text !== undefined && { text }) }],
    ...(parameter !== undefined && { parameters: [parameter] }),
  })
}

/** Whether a response is an error of the server. The emulator and the mock answer 501 to what they do not implement. */
export function isServerError({ status }: ReceivedResponse): boolean {
  return status >= 500 && status !== 501
}

export const validCase: InputCase = { label: 'valid', kind: 'met', place: 'request', change: {} }

/**
 * Sends a case. A write with a valid body gets new values, because a server may refuse values that it already has. A case with a valid
 * request (`met`) is sent once. Any other case is sent at most three times: again after a lost response, and after a server error if a
 * valid request then succeeds, because a transient error says nothing about the case.
 *
 * @throws Skip if a valid request does not succeed after a server error; LostResponse if the last response is lost
 */
export async function sendCase(context: CheckContext, given: Inputs, each: InputCase): Promise<Answered> {
  const { operation, items } = given
  const isMet = each.kind === 'met'
  const isValidBody = isMet || (each.place === 'body' && each.change.body === undefined)
  const inputs = isValidBody && items ? await makeInputs(context, operation) : given
  const { change } = (isMet && inputs.cases.find(({ label }) => label === each.label)) || each
  const path = { ...inputs.request.path, ...change.path }
  const request = { ...inputs.request, ...change, path, query: { ...inputs.request.query, ...change.query } }
  for (let count = 1; ; count++) {
    const isLast = isMet || count === crashAttempts
    const { kind } = each
    const write = items && requireSweepable(operation)
    const noEffect = write && noEffectOf(write, each)
    const sent = await (write && items
      ? sendWrite(context, write, { items, request: { ...request, noEffect }, kind, change })
      : call(context, operation, request)
    ).catch((error: unknown) => {
      if (isLast || !(error instanceof LostResponse)) throw error
    })
    if (sent && (isLast || !isServerError(sent))) return sent
    const control = sent && (await sendCase(context, given, validCase))
    if (control && !isSuccess(control))
      throw new Skip(`inconclusive: status ${sent?.status}, and a valid request is answered ${control.status}, too`)
  }
}

/**
 * Sends a write. First, if possible, brings the items of the suite into a state that the request changes. Also adds a value to the list
 * that the request changes if the list is empty, because a server may then handle a wrong value differently.
 */
async function sendWrite(
  context: CheckContext,
  operation: StatedOperation,
  { items, request, kind, change }: { items: Items; request: PathRequest } & Pick<InputCase, 'kind' | 'change'>,
): Promise<Answered> {
  const { action, resource } = operation
  // A request with a valid body must be able to have an effect: a server may refuse a value that it already has.
  const isEffective = kind === 'met' || change.body === undefined || action.kind === 'set'
  const body = typeof request.body === 'string' ? parseOrUndefined(request.body) : request.body
  const all = items.own.map((id) => ({ path: pathOf(operation, items, id), body }))
  if (isEffective) await sendOpposites(context, operation, all).catch(ignoreSkip)
  const add = changesOf(resource).find((other) => other.action.kind === 'add')
  if (add && 'field' in action && 'value' in action) {
    const read = readOf(resource)
    const { history } = context
    const at = history.findLastIndex(
      ({ operation: of, path, shown }) =>
        of === read && shown !== undefined && Object.values(path).at(-1) === items.own[0],
    )
    // The judge ignores the mark of a run, so a loss of it would not show.
    const isEmpty = valuesIn(toRecord(history[at]?.shown), action).every((each) => hasRunMark(String(each)))
    const isRemoval = ({ operation: of }: HistoryEntry) => of.resource === resource && of.action?.kind === 'remove'
    if (isEmpty || history.slice(at + 1).some(isRemoval))
      await sendAndRead(context, add, await validChange(context, add, items)).catch(ignoreSkip)
  }
  return sendAndRead(context, operation, request)
}

/** Returns why a case must have no effect; undefined for a valid request. */
function noEffectOf(
  operation: StatedOperation,
  { kind, place, part, label: name }: InputCase,
): NoEffectReason | undefined {
  const breaking = (...decides: readonly Decides[]) => {
    const values = { ...itemName(operation), ...part }
    return { name: `with ${name}`, breaks: [requirementOf(operation, { decides, values }).id] }
  }
  if (kind === 'met') return undefined
  if (kind === 'odd') return { ...breaking('<operation>.robustness'), isOpen: true }
  // An operation may succeed for an id that no item has, unless the contract states a 404. It must change no item then.
  if (place === 'path') return { ...breaking(...ofId), ...(!states404(operation) && { isOpen: true as const }) }
  if (!part) return { ...breaking('<operation>.robustness'), isOpen: true }
  const { breaks } = breaking('<operation>.robustness')
  const own = breaking(part.field === '' ? '<operation>.request-object' : '<operation>.<field>-<constraint>')
  return { ...own, breaksIfRefused: breaks }
}

/**
 * Whether the path of a case names an existing item that is not the item of the valid request. Also returns true if no operation reads
 * the item, because any id could then belong to another item.
 */
async function isOfOther(
  context: CheckContext,
  { operation, request }: Inputs,
  { place, change }: InputCase,
): Promise<boolean> {
  if (place !== 'path') return false
  if (!isStated(operation)) return true
  const names = [...operation.path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name)
  const at = names.findIndex((name) => change.path?.[name] !== undefined)
  const resource = [...ownersOf(operation.resource)].toReversed()[at]
  const read = resource && readOf(resource)
  const name = names[at]
  if (!read || name === undefined) return true
  const id = String(change.path?.[name])
  const items = { resource, own: [], within: names.slice(0, at).map((each) => request.path?.[each] ?? '') }
  const readOwner = async () => {
    if (read.action.kind === 'list') {
      const all = await listItems(context, items)
      return id !== request.path?.[name] && all.some((item) => idIn(item, items) === id)
    }
    const response = await call(context, read, { path: pathOf(read, items, id) })
    // Any other status does not say that no item has the id.
    if (!isSuccess(response)) return ![400, 404, 410, 414, 422].includes(response.status)
    return String(toRecord(jsonOf(response))[resource.id ?? '']) !== request.path?.[name]
  }
  return needsNewItem(operation) ? readOwner() : context.once(`owner of ${resource.name} ${id}`, readOwner)
}

/** A resource, then the one that contains it, and so on. */
function* ownersOf(resource: Resource): Generator<Resource> {
  for (let owner: Resource | undefined = resource; owner; owner = owner.parent) yield owner
}
