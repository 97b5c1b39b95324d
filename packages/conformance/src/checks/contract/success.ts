import type { Operation } from '@cdn/api/contract'
import { describeResponse, isSuccess, matchesStatus, type ReceivedResponse, snippet } from '../../core/answer.ts'
import { shortAnswer } from '../../core/bursts.ts'
import { call, type Request } from '../../core/call.ts'
import type { CheckContext } from '../../core/check.ts'
import { requiredQuery } from '../../core/example.ts'
import { expect } from '../../core/failure.ts'
import { validateBody } from '../../recording/validate-exchange.ts'
import { needsNewItem, pathOf } from '../state/items.ts'
import { itemsFor } from '../state/requests.ts'
import { preparedRequest, writeOf } from '../writes.ts'
import { type ContractChecks, type Drafted, draft, isListed } from './contract-checks.ts'

/** A valid request is answered with the stated success status and body (§4, §7). */
export const success: ContractChecks = (operation) => {
  const stated = operation.responses.map(({ status }) => status).filter((status) => status.startsWith('2'))
  const [exact] = stated.filter((status) => status !== '2XX')
  const drafts: Drafted[] = []
  if (isListed(operation, '2xx') || !exact) drafts.push(succeeds(operation, '2xx', ['2XX']))
  if (exact) drafts.push(succeeds(operation, exact, stated))
  if (operation.requestBody === undefined && isListed(operation, 'no-request-body')) drafts.push(needsNoBody(operation))
  const mediaTypes = Object.keys(operation.responses.find(({ status }) => status === exact)?.content ?? {})
  if (mediaTypes.some((type) => type.includes('json'))) drafts.push(bodyMatches(operation))
  return drafts
}

function succeeds(operation: Operation, slug: string, statuses: readonly string[]): Drafted {
  return draft(operation, {
    slug,
    ...preparedThrough(operation),
    text: `A valid request is answered ${statuses.join(' or ')}.`,
    run: async (context) => {
      const answer = await validCall(context, operation)
      expect(
        statuses.some((status) => matchesStatus(status, answer.status)),
        `status ${statuses.join(' or ')}`,
        `${describeResponse(answer)} with ${snippet(answer.text)}`,
      )
      const withoutBody = statuses.every((status) => status === '204')
      expect(!withoutBody || answer.text === '', 'no body', snippet(answer.text))
    },
  })
}

function needsNoBody(operation: Operation): Drafted {
  return draft(operation, {
    slug: 'no-request-body',
    ...preparedThrough(operation),
    text: 'The operation takes no request body.',
    run: async (context) => {
      const answer = await validCall(context, operation)
      expect(
        isSuccess(answer),
        'a success without a request body',
        `${describeResponse(answer)} with ${snippet(answer.text)}`,
      )
    },
  })
}

function bodyMatches(operation: Operation): Drafted {
  return draft(operation, {
    slug: 'body',
    text: 'The body of a success has the stated shape.',
    run: async (context) => {
      const answer = await validCall(context, operation)
      const problem = isSuccess(answer) ? validateBody(operation, 'full', answer) : undefined
      expect(problem === undefined, 'a body that matches its schema', String(problem))
    },
  })
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
  return call(context, operation, { ...(await validRequest(context, operation)), ...changes })
}

/** The basis of a check whose request must be prepared: `supplement` if the preparation relies on the supplement. */
export function preparedThrough(operation: Operation): { readonly basis?: 'supplement' } {
  const write = writeOf(operation)
  return write && write.action.kind !== 'add' ? { basis: 'supplement' } : {}
}

/** Limits a request for a day file to the first line, because the file can be of any size. */
function shortFile(operation: Operation): Request['query'] {
  return operation.responses.some(({ line }) => line) ? shortAnswer(operation) : {}
}

/** Returns the request of `validCall`, but does not send it. */
export async function validRequest(context: CheckContext, operation: Operation): Promise<Request> {
  if (operation.effect === 'read' && needsNewItem(operation)) {
    const items = await itemsFor(context, operation)
    return { path: pathOf(operation, items, items.own[0]), query: requiredQuery(operation) }
  }
  if (operation.effect === 'read') return { query: { ...requiredQuery(operation), ...shortFile(operation) } }
  return preparedRequest(context, operation)
}
