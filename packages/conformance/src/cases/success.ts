import { isStated, type Operation } from '@cdn/api/contract'
import { type ContractChecks, type Draft, type Drafted, draft, isListed } from '../requirements.ts'
import { call, type Request } from '../run/call.ts'
import type { CheckContext } from '../run/check.ts'
import { expect } from '../run/failure.ts'
import { expectSuccess, isSuccess, matchesStatus, type ReceivedResponse, snippet, withBody } from '../run/response.ts'
import { isSweepable, writeOf } from '../run/sweep/declared.ts'
import { validateBody } from '../run/validate-exchange.ts'
import { shortResponse } from '../scenarios/bursts.ts'
import { makeVisible, send } from '../scenarios/state/attempt.ts'
import { itemsFor } from '../scenarios/state/created-items.ts'
import { needsNewItem, pathOf } from '../scenarios/state/items.ts'
import { validChange } from '../scenarios/state/requests.ts'
import { requiredParameters } from './example.ts'
import { seenResponse } from './unspecified/probe.ts'

/** A valid request is answered with the stated success status and body (§4, §7). */
export const success: ContractChecks = (operation) => {
  const stated = operation.responses.filter(({ status }) => status.startsWith('2'))
  const statuses = stated.map(({ status }) => status)
  const exact = stated.find(({ status }) => status !== '2XX')
  const first = isListed(operation, '2xx') || !exact ? '2xx' : exact.status
  const isJson = Object.keys(exact?.content ?? {}).some((type) => type.includes('json'))
  const check = (slug: string, text: string, verify: (response: ReceivedResponse) => void): Drafted =>
    draft(operation, {
      slug,
      text,
      ...(slug !== 'body' && preparedThrough(operation)),
      run: async (context) => {
        const response = await validCall(context, operation)
        if (slug === first && isStated(operation) && operation.action.kind !== 'list')
          context.observe(`${operation.interface}.${operation.name}.success`, seenResponse(response))
        verify(response)
      },
    })
  const succeeds = (slug: string, expected: readonly string[]) =>
    check(slug, `A valid request is answered ${expected.join(' or ')}.`, (response) => {
      const isExpected = expected.some((status) => matchesStatus(status, response.status))
      expect(isExpected, `status ${expected.join(' or ')}`, withBody(response))
      const isEmpty = expected.every((status) => status === '204')
      expect(!isEmpty || response.text === '', 'no body', snippet(response.text))
    })
  return [
    ...(first === '2xx' ? [succeeds('2xx', ['2XX'])] : []),
    ...(exact ? [succeeds(exact.status, statuses)] : []),
    ...(operation.requestBody === undefined && isListed(operation, 'no-request-body')
      ? [check('no-request-body', 'The operation takes no request body.', expectSuccess)]
      : []),
    ...(isJson
      ? [
          check('body', 'The body of a success has the stated shape.', (response) => {
            const problem = isSuccess(response) ? validateBody(operation, response) : undefined
            expect(problem === undefined, 'a body that matches its schema', String(problem))
          }),
        ]
      : []),
  ]
}

/**
 * Sends a valid request. For a write, it first prepares the resource.
 *
 * @param changes replaces parts of the valid request
 * @throws Skip if the suite has no resource that the operation may write to
 */
export async function validCall(
  context: CheckContext,
  operation: Operation,
  changes: Request = {},
): Promise<ReceivedResponse> {
  if (operation.effect === 'read')
    return call(context, operation, { ...(await validRequest(context, operation)), ...changes })
  const write = writeOf(operation)
  const items = await itemsFor(context, write)
  const { path, ...valid } = await validChange(context, write, items)
  const request = { ...valid, ...changes, path: { ...path, ...changes.path } }
  await makeVisible(context, { operation: write, request }, items).catch(() => undefined)
  return send(context, { operation: write, items, request, rule: 'open' })
}

/** The basis of a check whose request must be prepared: `supplement` if the preparation relies on the supplement. */
export function preparedThrough(operation: Operation): Pick<Draft, 'basis'> {
  return isSweepable(operation) && operation.action.kind !== 'add' ? { basis: 'supplement' } : {}
}

/** Returns a valid request of a read. A day file can be of any size, so only its first line is requested. */
export async function validRequest(context: CheckContext, operation: Operation): Promise<Request> {
  const query = requiredParameters(operation)
  if (needsNewItem(operation)) {
    const items = await itemsFor(context, operation)
    return { path: pathOf(operation, items, items.own[0]), query }
  }
  return { query: { ...query, ...(operation.responses.some(({ line }) => line) && shortResponse(operation)) } }
}
