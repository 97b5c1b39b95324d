import type { RateLimit } from '@cdn/api/contract'
import { expect, Skip } from './failure.ts'

/** A response with its whole body. */
export interface ReceivedResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as it was received; undefined if the transport did not show it. */
  readonly raw?: RawBody | undefined
}

/** Facts about the bytes of a body. */
export interface RawBody {
  readonly length: number
  readonly isUtf8: boolean
  /** Whether the encoded body is complete, not truncated; undefined if that is not known. */
  readonly isWhole?: boolean | undefined
}

/** Whether a status matches a status of the contract, such as `204` or `2XX`. `default` matches 4xx and 5xx only. */
export function matchesStatus(stated: string, status: number): boolean {
  if (stated === 'default') return status >= 400
  if (/^[1-5]XX$/.test(stated)) return stated[0] === String(status)[0]
  return stated === String(status)
}

/** Whether a response comes from a gateway in front of the platform, so that it says nothing about the platform. */
export function isOfGateway({ status }: ReceivedResponse): boolean {
  return status >= 502 && status <= 504
}

/** Quotes the first 200 characters of a body, for a message. */
export function snippet(text: string): string {
  return text === '' ? 'an empty body' : JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
}

/** Parses a text as JSON; undefined if it is not JSON. */
export function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const bodies = new WeakMap<ReceivedResponse, unknown>()

/** Parses the body; undefined if it is not JSON. The result is cached for all rules and checks, so callers must not change it. */
export function parseBody(response: ReceivedResponse): unknown {
  if (!bodies.has(response)) bodies.set(response, parseOrUndefined(response.text))
  return bodies.get(response)
}

/**
 * Parses the response's body as JSON.
 *
 * @throws Failure if the body is not JSON
 */
export function jsonOf(response: ReceivedResponse): unknown {
  const body = parseBody(response)
  expect(body !== undefined, 'a JSON body', () => withBody(response))
  return body
}

export function isSuccess(response: ReceivedResponse): boolean {
  return response.status >= 200 && response.status < 300
}

export function describeResponse(response: ReceivedResponse): string {
  return `status ${response.status}`
}

/** Describes a response by its status and the beginning of its body. */
export function withBody(response: ReceivedResponse): string {
  return `${describeResponse(response)} with ${snippet(response.text)}`
}

/** Fails unless the response has the status. */
export function expectStatus(response: ReceivedResponse, status: number): void {
  expect(response.status === status, `status ${status}`, () => withBody(response))
}

/** Fails unless the response is a 2xx. */
export function expectSuccess(response: ReceivedResponse): void {
  expect(isSuccess(response), 'a success (2xx)', () => withBody(response))
}

/** Fails if the response is a 2xx. A 5xx is not a deliberate refusal either, so it skips the check. */
export function expectRefused(response: ReceivedResponse): void {
  expect(!isSuccess(response), 'no success', () => describeResponse(response))
  if (response.status >= 500) throw new Skip(`inconclusive: ${describeResponse(response)} is not a deliberate refusal`)
}

/** Skips the check if the target refused a request that only prepares the check. */
export function prepared(response: ReceivedResponse, what: string): ReceivedResponse {
  if (!isSuccess(response)) throw new Skip(`cannot prepare: ${what} was answered ${response.status}`)
  return response
}

/**
 * Returns the pause that a response states in `Retry-After` (RFC 9110 §10.2.3), in ms; negative for a date in the past.
 *
 * @returns undefined if it states none; NaN if the value is neither a number of seconds nor a date
 */
export function retryAfterMs({ headers }: ReceivedResponse, now: Date): number | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  return /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - now.getTime()
}

/** Tolerance for the pause that `Retry-After` states, in ms. The header has whole seconds. */
const roundingMs = 1_000

/** Whether a pause of `Retry-After`, in ms, can be true: the limiter accepts again within one window (§8). */
export function isTruePause(pauseMs: number, { windowMs }: RateLimit): boolean {
  return pauseMs >= -roundingMs && pauseMs <= windowMs + roundingMs
}
