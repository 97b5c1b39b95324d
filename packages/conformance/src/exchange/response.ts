import type { RateLimit } from '@cdn/api/contract'
import { stringifyJson, withExactIntegers } from '@cdn/kit/json'
import { memoize } from '@cdn/kit/memoize'
import { statedPauseMs } from '@cdn/kit/wait'
import type { ReceivedResponse } from './exchange.ts'
import { expect, oneStatus, type Place, refusal, type Seen, Skip, success, value } from './failure.ts'

/** Whether a status matches a status of the contract, such as `204` or `2XX`. `default` matches 4xx and 5xx only. */
export function matchesStatus(stated: string, status: number): boolean {
  if (stated === 'default') return status >= 400
  if (/^[1-5]XX$/.test(stated)) return stated[0] === String(status)[0]
  return stated === String(status)
}

/** Whether a response comes from a gateway in front of the platform, so that it says nothing about the platform. */
export function isOfGateway({ status }: Pick<ReceivedResponse, 'status'>): boolean {
  return status >= 502 && status <= 504
}

/** Quotes the first 200 characters of a text. */
export function snippet(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
}

/** Parses a text as JSON; undefined if it is not JSON. */
export function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const bodiesOf = memoize(({ text }: ReceivedResponse) => {
  const rounded = parseOrUndefined(text)
  return { rounded, exact: rounded === undefined ? undefined : withExactIntegers(rounded, text) }
})

/**
 * Parses the body; undefined if it is not JSON. An integer that a double cannot hold is a bigint. The result is cached for all rules and
 * checks, so callers must not change it.
 */
export function parseBody(response: ReceivedResponse): unknown {
  return bodiesOf(response).exact
}

/** Parses the body as `JSON.parse` does, for a validator that knows no bigint. */
export function roundedBody(response: ReceivedResponse): unknown {
  return bodiesOf(response).rounded
}

/**
 * Parses the response's body as JSON.
 *
 * @throws Failure if the body is not JSON
 */
export function jsonOf(response: ReceivedResponse): unknown {
  const body = parseBody(response)
  expect(body !== undefined, value('a JSON body'), () => seenStatus(response), { responses: [response] })
  return body
}

export function isSuccess({ status }: Pick<ReceivedResponse, 'status'>): boolean {
  return status >= 200 && status < 300
}

/** The status of a response, with the kind and the beginning of its body. */
export function seenStatus(response: ReceivedResponse): Extract<Seen, { kind: 'status' }> {
  const { status, text } = response
  const body = text.trim() === '' ? 'none' : parseBody(response) === undefined ? 'other' : 'json'
  return { kind: 'status', status, body, ...(text !== '' && { start: text.slice(0, 200) }) }
}

/** The elements of a JSON body at some places, such as `data[0].cacheStatus`, as evidence. An empty place is the whole body. */
export function placesIn(response: ReceivedResponse, ...paths: readonly string[]): Place[] {
  return paths.map((path) => {
    const keys = path.split(/[.[\]]+/).filter(Boolean)
    const element = keys.reduce<unknown>((inner, key) => Object(inner)[key], parseBody(response))
    return { path, text: stringifyJson(element) ?? 'missing' }
  })
}

/** Fails unless the response has the status. */
export function expectStatus(response: ReceivedResponse, status: number): void {
  expect(response.status === status, oneStatus([status]), () => seenStatus(response), { responses: [response] })
}

/** Fails unless the response is a 2xx. */
export function expectSuccess(response: ReceivedResponse): void {
  expect(isSuccess(response), success(), () => seenStatus(response), { responses: [response] })
}

/** Fails if the response is a 2xx. A 5xx is not a deliberate refusal either, so it skips the check. */
export function expectRefused(response: ReceivedResponse): void {
  expect(!isSuccess(response), refusal(), () => seenStatus(response), { responses: [response] })
  if (response.status >= 500) throw new Skip(`inconclusive: status ${response.status} is not a deliberate refusal`)
}

/** Skips the check if the target refused a request that only prepares the check. */
export function successOrSkip(response: ReceivedResponse, what: string): ReceivedResponse {
  if (!isSuccess(response)) throw new Skip(`cannot prepare: ${what} was answered ${response.status}`)
  return response
}

export interface StatedPause {
  /** In ms; negative for a date in the past, NaN for a value that is neither a number of seconds nor a date. */
  readonly ms: number
  /** How inexact the pause is, in ms: its seconds are whole, and if it is a date, the date that it is compared with is rounded, too. */
  readonly toleranceMs: number
}

/** Returns the pause that a response states in `Retry-After`. @param now the time of the target */
export function statedPause({ headers }: Pick<ReceivedResponse, 'headers'>, now: Date): StatedPause | undefined {
  const value = headers.get('retry-after')
  if (value === null) return undefined
  return { ms: statedPauseMs(headers, now.getTime()), toleranceMs: /^\d+$/.test(value) ? 1_000 : 2_000 }
}

/** Whether a stated pause can be true: the limiter accepts again within one window (§8). */
export function isTruePause({ ms, toleranceMs }: StatedPause, { windowMs }: RateLimit): boolean {
  return ms >= -toleranceMs && ms <= windowMs + toleranceMs
}
