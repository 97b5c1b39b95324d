/** Checks that clients that negotiate in another way get the stated body in a permitted coding (RFC 9110 §12.5). */
import type { Operation } from '@cdn/api/contract'
import { call } from '../exchange/call.ts'
import type { ReceivedResponse } from '../exchange/exchange.ts'
import { expect, type Seen, success, value, wrong } from '../exchange/failure.ts'
import { negotiations } from '../exchange/hostile-input.ts'
import { linesOf } from '../exchange/log-rows.ts'
import { type ChecksOf, decide } from '../exchange/requirements.ts'
import { isSuccess, seenStatus } from '../exchange/response.ts'
import { validateBody } from '../exchange/validate-response.ts'
import { isMalformedLine } from '../rules/logs.ts'
import { validRequest } from './success-status.ts'

export const negotiationChecks: ChecksOf = (operation) => {
  if (operation.effect !== 'read') return []
  const check = decide(operation, {
    decides: '<operation>.negotiation',
    run: async (context) => {
      const valid = await validRequest(context, operation)
      const control = await call(context, operation, valid)
      // The checks of a valid request report its failure.
      if (!isSuccess(control)) return
      for (const [label, headers] of Object.entries(negotiations)) {
        const response = await call(context, operation, { ...valid, headers })
        context.count()
        const proof = { responses: [response] }
        expect(isSuccess(response), success(label), () => seenStatus(response), proof)
        // A file may get its first line between the two responses, or its day may end.
        const isEmpty = [control, response].some(({ text }) => text === '')
        const isSame = isEmpty || seenStatus(response).body === seenStatus(control).body
        expect(isSame, value(`the stated body for ${label}`), () => seenStatus(response), proof)
        const problem = problemOf(operation, response)
        if (problem && !problemOf(operation, control))
          expect(false, value(`the stated body for ${label}`), problem, proof)
        const coding = forbiddenCoding(response, headers['Accept-Encoding'])
        const at = [{ path: 'Content-Encoding', text: coding ?? '' }]
        const seen = wrong('the body has a coding that the request does not accept', { at })
        expect(coding === undefined, value(`a permitted coding for ${label}`), seen, proof)
      }
    },
  })
  return [check]
}

/** How a body differs from what the contract states: a JSON schema, or the fields of a line. */
function problemOf(operation: Operation, response: ReceivedResponse): Seen | undefined {
  const isOfLines = operation.responses.some(({ line }) => line)
  const odd = isOfLines ? linesOf(response).find(isMalformedLine) : undefined
  if (odd === undefined) return validateBody(operation, response)
  return wrong('a line has wrong fields', { at: [{ path: 'line', text: odd }] })
}

/** The coding of a body, if the request does not list it, or refuses it by `q=0`. */
function forbiddenCoding({ headers }: ReceivedResponse, accepted: string | undefined): string | undefined {
  const coding = (headers.get('content-encoding') ?? 'identity').replace('x-gzip', 'gzip')
  if (accepted === undefined || coding === 'identity') return undefined
  const permitted = accepted
    .split(',')
    .map((one) => one.trim())
    .filter((one) => !one.includes('q=0'))
  return permitted.includes(coding) ? undefined : coding
}
