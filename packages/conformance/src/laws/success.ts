import type { Operation } from '@cdn/api/contract'
import { type Answer, describe, isSuccess, matchesStatus, snippet } from '../answer.ts'
import { call, type Request } from '../call.ts'
import type { CheckContext } from '../check.ts'
import { requiredQuery } from '../example.ts'
import { expect, Skip } from '../failure.ts'
import { judgeBody } from '../wire/judge.ts'
import { writes } from '../writes.ts'
import { type Drafted, draft, isListed, type Law } from './law.ts'

/** A valid request has the stated success status and body (§4, §7). */
export const success: Law = (operation) => {
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
    text: `A valid request is answered ${statuses.join(' or ')}.`,
    run: async (context) => {
      const answer = await validCall(context, operation)
      expect(
        statuses.some((status) => matchesStatus(status, answer.status)),
        `status ${statuses.join(' or ')}`,
        `${describe(answer)} with ${snippet(answer.text)}`,
      )
      const noBody = statuses.every((status) => status === '204')
      expect(!noBody || answer.text === '', 'no body', snippet(answer.text))
    },
  })
}

function needsNoBody(operation: Operation): Drafted {
  return draft(operation, {
    slug: 'no-request-body',
    text: 'The operation takes no request body.',
    run: async (context) => {
      const answer = await validCall(context, operation)
      expect(isSuccess(answer), 'a success without a request body', `${describe(answer)} with ${snippet(answer.text)}`)
    },
  })
}

function bodyMatches(operation: Operation): Drafted {
  return draft(operation, {
    slug: 'body',
    text: 'The body of a success has the stated shape.',
    run: async (context) => {
      const answer = await validCall(context, operation)
      const problem = isSuccess(answer) ? judgeBody(operation, 'full', answer) : undefined
      expect(problem === undefined, 'a body that matches its schema', problem ?? '')
    },
  })
}

/**
 * Sends a request that nothing is wrong with, after preparing the resource where the operation writes.
 *
 * @param changes replaces parts of the valid request
 * @throws Skip when the suite knows no resource that the operation may write to
 */
export async function validCall(context: CheckContext, operation: Operation, changes: Request = {}): Promise<Answer> {
  return call(context, operation, { ...(await validRequest(context, operation)), ...changes })
}

/** The request of `validCall`, without sending it. */
export async function validRequest(context: CheckContext, operation: Operation): Promise<Request> {
  if (operation.effect === 'read') return { query: requiredQuery(operation) }
  const write = writes[operation.name]
  if (!write) throw new Skip(`the suite has no resource that ${operation.name} may write to`)
  return write.prepare(context)
}
