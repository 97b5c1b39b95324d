import { type ReceivedResponse, snippet } from '@cdn/api/drift'
import { expect, Skip } from './failure.ts'

export { isOfGateway, matchesStatus, type ReceivedResponse, snippet } from '@cdn/api/drift'

/**
 * Parses the answer's body as JSON.
 *
 * @throws Failure if the body is not JSON
 */
export function jsonOf(answer: ReceivedResponse): unknown {
  try {
    return JSON.parse(answer.text)
  } catch {
    return expect(false, 'a JSON body', withBody(answer))
  }
}

export function isSuccess(answer: ReceivedResponse): boolean {
  return answer.status >= 200 && answer.status < 300
}

export function describeResponse(answer: ReceivedResponse): string {
  return `status ${answer.status}`
}

/** Describes an answer by its status and the beginning of its body. */
export function withBody(answer: ReceivedResponse): string {
  return `${describeResponse(answer)} with ${snippet(answer.text)}`
}

/** Fails unless the answer has the status. */
export function expectStatus(answer: ReceivedResponse, status: number): void {
  expect(answer.status === status, `status ${status}`, () => withBody(answer))
}

/** Fails unless the answer is a 2xx. */
export function expectSuccess(answer: ReceivedResponse): void {
  expect(isSuccess(answer), 'a success (2xx)', () => withBody(answer))
}

/** Fails when the answer is a 2xx. A server error is no success, but no deliberate refusal either, so it skips the check. */
export function expectRefused(answer: ReceivedResponse): void {
  expect(!isSuccess(answer), 'no success', () => describeResponse(answer))
  if (answer.status >= 500) throw new Skip(`inconclusive: ${describeResponse(answer)} is not a deliberate refusal`)
}

/** Skips the check if the target refused a request that only prepares the check. */
export function prepared(answer: ReceivedResponse, what: string): ReceivedResponse {
  if (!isSuccess(answer)) throw new Skip(`cannot prepare: ${what} was answered ${answer.status}`)
  return answer
}
