import { expect, Skip } from './failure.ts'

/** An answer that was read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/**
 * Reads the answer's body as JSON.
 *
 * @throws Failure when it is none
 */
export function jsonOf(answer: Answer): unknown {
  try {
    return JSON.parse(answer.text)
  } catch {
    return expect(false, 'a JSON body', `${describe(answer)} with ${snippet(answer.text)}`)
  }
}

/** Whether a status matches a status of the contract (`204`, `2XX`); `default` never matches a 2xx or 3xx. */
export function matchesStatus(stated: string, status: number): boolean {
  if (stated === 'default') return status >= 400
  if (/^[1-5]XX$/.test(stated)) return stated[0] === String(status)[0]
  return stated === String(status)
}

export function isSuccess(answer: Answer): boolean {
  return answer.status >= 200 && answer.status < 300
}

export function describe(answer: Answer): string {
  return `status ${answer.status}`
}

export function snippet(text: string): string {
  return text === '' ? 'an empty body' : JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
}

/** Fails unless the answer has the status. */
export function expectStatus(answer: Answer, status: number): void {
  expect(answer.status === status, `status ${status}`, () => `${describe(answer)} with ${snippet(answer.text)}`)
}

/** Fails unless the answer is a 2xx. */
export function expectSuccess(answer: Answer): void {
  expect(isSuccess(answer), 'a success (2xx)', () => `${describe(answer)} with ${snippet(answer.text)}`)
}

/** Fails when the answer is a 2xx. */
export function expectRefused(answer: Answer): void {
  expect(!isSuccess(answer), 'no success', () => describe(answer))
}

/** Skips the check when the target refused a request that only prepares it. */
export function prepared(answer: Answer, what: string): Answer {
  if (!isSuccess(answer)) throw new Skip(`cannot prepare: ${what} was answered ${answer.status}`)
  return answer
}
