/** Sends the cases of an operation. */
import { isStated, type Operation, type Resource } from '@cdn/api/contract'
import { toRecord } from '@cdn/kit/record'
import { hourMs } from '@cdn/kit/time'
import { burstZone } from '../../core/bursts.ts'
import { call, type Request } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { parameterExample, resolverOf } from '../../core/example.ts'
import { Failure, LostResponse, Skip } from '../../core/failure.ts'
import { maxSample, range, shownDay } from '../../core/logs.ts'
import { isSuccess, jsonOf, type ReceivedResponse } from '../../core/response.ts'
import { validCall, validRequest } from '../contract/success.ts'
import { idParameterOf, isImported, labelOf, pathTo, resourceOf } from '../resources.ts'
import { guardAll, preparedRequest, restore, valueOfBody } from '../state/attempt.ts'
import { listItems, needsNewItem, observe, pathOf, readOf } from '../state/items.ts'
import { currentState, isUndoable, itemsFor, validChange, writeOf } from '../state/requests.ts'
import { type InputCase, inputCases } from './cases.ts'

/** Distance of the ends of a range from the time of its cases, in ms. */
const rangeMs = 30_000
/** How often a request must be answered by a server error until it counts as a crash. */
const crashAttempts = 3

/** The cases of an operation, and the valid request that they change. */
export interface Inputs {
  readonly operation: Operation
  readonly request: Request
  readonly cases: readonly InputCase[]
}

/**
 * Returns the cases of an operation.
 *
 * @param prepare how to make the valid request of a write: `guard` if it must be refused, `prepare` if it must have an
 *   effect
 */
export async function inputsOf(
  context: CheckContext,
  operation: Operation,
  prepare: 'guard' | 'prepare' = 'guard',
): Promise<Inputs> {
  const resource = resourceOf(operation)
  const request = isUndoable(operation)
    ? await preparedRequest(context, operation, prepare === 'guard')
    : await readRequest(context, operation)
  const created = needsNewItem(operation) ? request.path?.[idParameterOf(operation) ?? ''] : undefined
  const [id = created, absent] = resource ? [context.fixtures[resource.own[0]], context.fixtures[resource.absent]] : []
  const cases = inputCases(operation, { request, id, absent, now: context.now() })
  // A search through a long file, or all of it, could take minutes.
  const isLong = operation.responses.some(({ line }) => line) && !(await isShortFile(context))
  const sent = isLong ? cases.filter(({ kind, place }) => kind === 'broken' || place !== 'query') : cases
  return { operation, request, cases: storedFirst(context, sent) }
}

/**
 * Returns the stored case with its shrunk text, then the others; in a replay, only the stored case.
 *
 * @throws Skip if a replay has no such case
 */
function storedFirst({ stored, replay }: CheckContext, cases: readonly InputCase[]): readonly InputCase[] {
  const { input, text } = stored?.[0] ?? {}
  if (input === undefined) return cases
  const first = cases.filter(({ label }) => label === input).map((each) => withText(each, text))
  if (replay && first.length === 0) throw new Skip(`the operation has no case ${JSON.stringify(input)} today`)
  return replay ? first : [...first, ...cases.filter(({ label }) => label !== input)]
}

/** Replaces the text of a case, if the case has one. */
export function withText(each: InputCase, text: string | undefined): InputCase {
  return text === undefined || !each.changeTo ? each : { ...each, text, change: each.changeTo(text) }
}

/** Adds the case to a failure, so that it is stored and can be replayed. */
export async function naming<T>(operation: Operation, each: InputCase, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const text = each.text === undefined ? {} : { text: each.text }
    throw new Failure(error.expected, error.seen, [{ operation: operation.name, input: each.label, ...text }])
  }
}

function isShortFile(context: CheckContext): Promise<boolean> {
  return shownDay(context).then(
    ({ lines }) => lines.length < maxSample,
    () => true,
  )
}

/** A valid request of a read. The fixtures have no resource of an imported interface, so its path has example values. */
async function readRequest(context: CheckContext, operation: Operation): Promise<Request> {
  const parameters = isImported(operation) ? operation.parameters.filter(({ in: place }) => place === 'path') : []
  const example = parameters.map((one) => [one.name, parameterExample(one, resolverOf(operation))])
  // The operations with a rate limit use different pull zones.
  const path = operation.rateLimit ? pathTo(operation, burstZone(context, operation)) : Object.fromEntries(example)
  const request = await validRequest(context, operation)
  // A search through the default range of a busy pull zone could take minutes.
  const hasRange = operation.parameters.some(({ name, schema }) => name === 'from' && schema.format === 'date-time')
  const hourAgo = context.now().getTime() - hourMs
  const short = hasRange && !isImported(operation) ? range(hourAgo - rangeMs, hourAgo + rangeMs) : {}
  return { path: { ...request.path, ...path }, query: { ...request.query, ...short } }
}

/**
 * Sends cases one after another, and registers how to undo what a lenient server does with them. Leaves out a write to a
 * resource that exists and is not the fixture.
 *
 * @param verify called with each response
 */
export async function sendCases(
  context: CheckContext,
  inputs: Inputs,
  cases: readonly InputCase[],
  verify: (response: ReceivedResponse, each: InputCase) => Promise<void> | void,
): Promise<void> {
  const { operation, request } = inputs
  const send = async ([each, ...same]: readonly InputCase[]) => {
    if (!each) return
    if (operation.effect !== 'read' && (await isOfOther(context, inputs, each))) return
    const sent = changed(request, each)
    for (const { constraint, kind } of [each, ...same])
      context.count(
        constraint === undefined
          ? undefined
          : { operation: labelOf(operation), constraint, isBroken: kind === 'broken' },
      )
    // What must be refused can be sent again if its response is lost.
    const isOnce = each.kind === 'met'
    const response = await steadyResponse(context, operation, () => callAgain(context, operation, sent, isOnce))
    await naming(operation, each, async () => verify(response, each))
  }
  // A request that meets several constraints is sent once: a second deletion of the same item would be refused.
  const keyOf = ({ change }: InputCase) => JSON.stringify({ ...change, path: { ...request.path, ...change.path } })
  const groups = [...Map.groupBy(cases, keyOf).values()]
  const isJson = operation.requestBody?.content['application/json'] !== undefined
  const guarded = isJson ? await guardOf(context, operation) : (_: unknown, work: () => Promise<void>) => work()
  for (const group of groups) {
    const body = group[0] && valueOfBody(changed(request, group[0]).body)
    await guarded(body, () => send(group))
  }
}

/**
 * Prepares to send bodies that must be refused. Before each one, it registers the undo for the foreseeable values that a lenient
 * server makes of the body, and afterwards that of every other change.
 */
async function guardOf(context: CheckContext, operation: Operation) {
  const write = writeOf(operation)
  const items = await itemsFor(context, write)
  const { path } = await validChange(context, write, items)
  // A state that cannot be read is not an empty one, whose values would be removed. Then only foreseen values are undone.
  const before = await currentState(context, items).catch(() => undefined)
  return async (body: unknown, work: () => Promise<void>): Promise<void> => {
    if (!before) return work()
    const attempt = { operation: write, items, request: { path, body }, rule: 'refused' as const }
    await guardAll(context, attempt, before)
    try {
      await work()
    } finally {
      const after = await observe(context, items).catch(() => undefined)
      if (after) await restore(context, attempt, before, after)
    }
  }
}

/** Returns the request of a case. */
export function changed(request: Request, { change }: InputCase): Request {
  const path = { ...request.path, ...change.path }
  return { ...request, ...change, path, query: { ...request.query, ...change.query } }
}

async function callAgain(context: CheckContext, operation: Operation, request: Request, isOnce: boolean) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(context, operation, request)
    } catch (error) {
      if (isOnce || attempt === crashAttempts || !(error instanceof LostResponse)) throw error
    }
  }
}

/** Whether a response is an error of the server. The emulator and the mock answer 501 to what they do not implement. */
export function isServerError({ status }: ReceivedResponse): boolean {
  return status >= 500 && status !== 501
}

/**
 * Sends a request. After a server error, sends it again with a valid request before: an error that passes says nothing
 * about the request.
 *
 * @throws Skip if the valid request does not succeed
 */
async function steadyResponse(
  context: CheckContext,
  operation: Operation,
  send: () => Promise<ReceivedResponse>,
): Promise<ReceivedResponse> {
  let response = await send()
  for (let attempt = 1; attempt < crashAttempts && isServerError(response); attempt++) {
    const control = await validCall(context, operation)
    if (!isSuccess(control))
      throw new Skip(`inconclusive: status ${response.status}, and a valid request is answered ${control.status}, too`)
    response = await send()
  }
  return response
}

/**
 * Whether a case names an item that exists, but not the one of the valid request. The operation that reads the item shows it. If
 * there is none, every id could be one of those.
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
  const items = { resource, own: [], others: [], within: names.slice(0, at).map((each) => request.path?.[each] ?? '') }
  if (read.action.kind === 'list') {
    const entries = await listItems(context, read, items)
    return id !== request.path?.[name] && entries.some((entry) => String(entry[resource.id ?? '']) === id)
  }
  const response = await call(context, read, { path: pathOf(read, items, id) })
  return isSuccess(response) && String(toRecord(jsonOf(response))[resource.id ?? '']) !== request.path?.[name]
}

/** A resource, then the one that contains it, and so on. */
function* ownersOf(resource: Resource): Generator<Resource> {
  for (let owner: Resource | undefined = resource; owner; owner = owner.parent) yield owner
}
