import { isStated, type Operation } from '@cdn/api/contract'
import { call, type RequestParts } from '../exchange/call.ts'
import type { CheckContext } from '../exchange/check.ts'
import type { Answered } from '../exchange/exchange.ts'
import { expect, oneStatus, value, wrong } from '../exchange/failure.ts'
import {
  type ChecksOf,
  contractLists,
  type Decided,
  type Decides,
  type Decision,
  decide,
} from '../exchange/requirements.ts'
import { needsNewItem } from '../exchange/resources.ts'
import { matchesStatus, seenStatus, snippet } from '../exchange/response.ts'
import { bodyExample, requiredParameters } from '../exchange/schema-example.ts'
import { shortResponse } from './bursts.ts'
import { itemsFor } from './state/created-items.ts'
import { isSweepable, requireSweepable } from './state/declared-state.ts'
import { type Items, pathOf } from './state/items.ts'
import { sendOpposite } from './state/read-resources.ts'
import { type PathRequest, validChange } from './state/requests.ts'
import { seenResponse } from './unspecified/point-check.ts'

/** Checks that a valid request is answered with the stated success status (§4, §7). */
export const successChecks: ChecksOf = (operation) => {
  const stated = operation.responses.map(({ status }) => status).filter((status) => status.startsWith('2'))
  const exact = stated.find((status) => status !== '2XX')
  const isAny = contractLists(operation, '2xx') || exact === undefined
  const succeeds = (decides: Decides, expected: readonly string[], isFirst: boolean): Decided => {
    const run = async (context: CheckContext) => {
      const response = await validCall(context, operation)
      if (isFirst && isStated(operation) && operation.action.kind !== 'list')
        context.observe(`${operation.interface}.${operation.name}.success`, seenResponse(response))
      const isExpected = expected.some((status) => matchesStatus(status, response.status))
      const proof = { responses: [response] }
      expect(isExpected, oneStatus(expected), () => seenStatus(response), proof)
      const isEmpty = expected.every((status) => status === '204')
      expect(
        !isEmpty || response.text === '',
        value('no body'),
        () => wrong('a 204 has a body', { text: snippet(response.text) }),
        proof,
      )
    }
    return decide(operation, {
      decides,
      values: { status: exact ?? '2XX' },
      ...basisOfPreparation(operation),
      run,
    })
  }
  return [
    ...(isAny ? [succeeds('<operation>.2xx', ['2XX'], true)] : []),
    ...(exact === undefined ? [] : [succeeds('<operation>.<status>', stated, !isAny)]),
    ...(operation.requestBody === undefined && contractLists(operation, 'no-request-body')
      ? [succeeds('<operation>.no-request-body', ['2XX'], false)]
      : []),
  ]
}

/**
 * Sends a valid request. Before a write, brings the item into a state that the write changes, if possible.
 *
 * @param changes replaces parts of the valid request
 * @throws Skip if no sweep can undo the write, or if the suite has no item for it
 */
export async function validCall(
  context: CheckContext,
  operation: Operation,
  changes: RequestParts = {},
): Promise<Answered> {
  if (operation.effect === 'read')
    return call(context, operation, { ...(await validRequest(context, operation)), ...changes })
  const write = requireSweepable(operation)
  const { request: valid } = await requestWithItems(context, write)
  const request = { ...valid, ...changes, path: { ...valid.path, ...changes.path } }
  await sendOpposite(context, write, request).catch(() => undefined)
  return call(context, write, request)
}

/** Returns a valid request, and the items that a write changes. A read, or a write that no sweep can undo, has no items. */
export async function requestWithItems(
  context: CheckContext,
  operation: Operation,
  ofRead: typeof validRequest = validRequest,
): Promise<{ readonly request: PathRequest; readonly items?: Items }> {
  if (!isSweepable(operation)) return { request: { path: {}, ...(await ofRead(context, operation)) } }
  const items = await itemsFor(context, operation)
  return { request: await validChange(context, operation, items), items }
}

/** Returns the basis of a check that sends a prepared request: `supplement` if the preparation relies on the supplement. */
export function basisOfPreparation(operation: Operation): Pick<Decision, 'basis'> {
  return isSweepable(operation) && operation.action.kind !== 'add' ? { basis: 'supplement' } : {}
}

/** Returns a valid request of a read. A day file can be of any size, so only its first line is requested. */
export async function validRequest(context: CheckContext, operation: Operation): Promise<RequestParts> {
  const query = requiredParameters(operation)
  const body = bodyExample(operation)
  if (needsNewItem(operation)) {
    const items = await itemsFor(context, operation)
    return { path: pathOf(operation, items, items.own[0]), query, body }
  }
  return { body, query: { ...query, ...(operation.responses.some(({ line }) => line) && shortResponse(operation)) } }
}
