import { expect, Skip } from './failure.ts'

/** An answer with its whole body. */
export interface ReceivedResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

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

/** Whether a status matches a status of the contract such as `204` or `2XX`. `default` never matches 2xx or 3xx. */
export function matchesStatus(stated: string, status: number): boolean {
  if (stated === 'default') return status >= 400
  if (/^[1-5]XX$/.test(stated)) return stated[0] === String(status)[0]
  return stated === String(status)
}

export function isSuccess(answer: ReceivedResponse): boolean {
  return answer.status >= 200 && answer.status < 300
}

/** Whether an answer comes from a gateway in front of the platform, so that it says nothing about the platform. */
export function isOfGateway({ status }: ReceivedResponse): boolean {
  return status >= 502 && status <= 504
}

export function describeResponse(answer: ReceivedResponse): string {
  return `status ${answer.status}`
}

/** Describes an answer by its status and the beginning of its body. */
export function withBody(answer: ReceivedResponse): string {
  return `${describeResponse(answer)} with ${snippet(answer.text)}`
}

export function snippet(text: string): string {
  return text === '' ? 'an empty body' : JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
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
