import type { OperationFacts } from '../interface-facts.ts'
import { type Redact, redactionFor } from '../redact.ts'
import { isSecretField } from '../secrets.ts'
import { discard } from './body.ts'
import { type TimeLimit, TimeLimits } from './time-limits.ts'

/** Why an attempt is repeated: the status of a response, or an error. The readers of logs report an error response as an ApiError. */
export type RetryReason = { readonly pauseMs: number } & (
  | { readonly status: number; readonly error?: undefined }
  | { readonly status?: undefined; readonly error: unknown }
)

/**
 * State that the wrappers, the client and the errors of one call share. Wrappers pass it on in the second parameter of `fetch`. So a
 * call needs neither copies of its request nor a table of requests.
 */
export interface Call {
  /**
   * Method and path template, such as `GET /pullzone/{id}`, so that ids and query stay out of messages and metrics. For a request that
   * is not from a client of this package, the path as sent, without the query.
   */
  readonly operation: string
  /** The address, as sent. */
  url: string
  /** Whether the operation can safely be sent twice. */
  readonly isRepeatable: boolean
  /** Whether the contract requires no credential. */
  readonly isOpen: boolean
  /** What an error means, by its status, as the contract states it. */
  readonly errors: Readonly<Record<string, string>>
  /** Whether the caller reads the body as a stream. */
  readonly isStream: boolean
  /** Whether `withRetry` must not retry the call: an outer wrapper retries it, the caller forbids it, or the body is a stream. */
  isRetryOff: boolean
  /** The headers of the request, by lower-case name, without the credential that `withAuth` adds. */
  headers: Readonly<Record<string, string>>
  /** The credential that was sent, so that errors can hide it. */
  secret: string
  /** Reports to the observers of the call, outermost first. */
  readonly observed: { retry(reason: RetryReason): void; wait(heldMs: number): void }[]
  /** Limits that last until the body of the response has been read. */
  readonly limits: TimeLimits
  /** Limits of the attempt that is under way, for which no response has arrived. */
  readonly ofAttempt: Set<TimeLimit>
  /** The last response of the platform, so that `endCall` can discard its body. */
  response?: Response
  /** The Request of a client, referenced because a runtime may ignore the signal of a Request that is garbage-collected. */
  request?: Request
}

const key = Symbol('call')

/** The second parameter of `fetch`, with the call. */
export type CallInit = RequestInit & { readonly [key]?: Call }

/** Starts a call. @param facts what the contract states about its operation, in addition to method and path */
export function startCall(
  operation: string,
  url: string,
  { isOpen = false, isRepeatable = /^(GET|HEAD|OPTIONS) /.test(operation), errors = {} }: OperationFacts = {},
  ends: Partial<Pick<Call, 'isStream' | 'isRetryOff'>> = {},
): Call {
  const state = { headers: {}, secret: '', observed: [], limits: new TimeLimits(), ofAttempt: new Set<TimeLimit>() }
  return { operation, url, isOpen, isRepeatable, errors, isStream: false, isRetryOff: false, ...ends, ...state }
}

/** Adds the call to the second parameter of `fetch`, in place. */
export function withCall(init: RequestInit, call: Call): CallInit {
  return Object.assign(init, { [key]: call })
}

export function callOf(holder: object | undefined): Call | undefined {
  return (holder as CallInit | undefined)?.[key]
}

/** Marks a response as one of a call, for errors that are created from the response later. */
export function markResponse(response: Response, call: Call): Response {
  return Object.defineProperty(response, key, { value: call, configurable: true })
}

type HeadersOption = RequestInit['headers'] | Readonly<Record<string, unknown>>

/** Merges headers by their lower-case names; later ones win. Null removes a header, undefined changes nothing, a list becomes one value. */
export function toRecordOfHeaders(...all: readonly HeadersOption[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const each of all) {
    const entries = Symbol.iterator in Object(each) ? each : Object.entries(each ?? {})
    for (const [name, value] of entries as Iterable<[string, unknown]>)
      if (value === null) delete headers[name.toLowerCase()]
      else if (value !== undefined) headers[name.toLowerCase()] = String(value) // a list is joined with commas
  }
  return headers
}

/** Returns the second parameter of `fetch` with another header. */
export function withHeader(init: CallInit, name: string, value: string): CallInit {
  const { headers } = init
  const record = headers === callOf(init)?.headers ? headers : toRecordOfHeaders(headers)
  return { ...init, headers: { ...(record as object), [name.toLowerCase()]: value } }
}

/** The address of the first parameter of `fetch`. */
export function addressOf(input: string | URL | Request): string {
  return typeof input === 'object' && 'url' in input ? input.url : String(input)
}

/** @returns the path of an absolute URL, as sent, without the query */
export function requestPath(url: string): string {
  return url.slice(url.indexOf('/', 8)).replace(/[?#].*/s, '')
}

/** @returns the input, or a clone of it if it is a Request with a body, so that the input can be sent again */
export function repeatableInput({ input, init }: { input: string | URL | Request; init: RequestInit }) {
  return init.body === undefined && input instanceof Request && input.body ? input.clone() : input
}

/** Frees the timers, listeners and connection of a call that failed, or that hands out no body. */
export function endCall({ limits, response }: Call): void {
  limits.end()
  discard(response)
}

/** The parts of an error that describe its call. */
export interface CallDescription {
  /** As `Call.operation`. */
  readonly operation: string
  readonly host?: string
  /** Hides the credentials that the request carried. */
  readonly redact?: Redact
  readonly response?: Response | undefined
  /** The response body as text, if it was read. */
  readonly text?: string
}

/** Describes a call for an error. */
export function describeCall({ operation, url, headers, secret }: Call, response?: Response) {
  const host = URL.canParse(url) ? new URL(url).host : '' // Node 20 has no `URL.parse`
  return { operation, host, redact: redactionFor(headers, secret), response }
}

/** Whether a call was sent without any credential, although the contract requires one. */
export function isAnonymous({ isOpen, secret, headers }: Call): boolean {
  return !isOpen && secret === '' && !Object.keys(headers).some(isSecretField)
}

/** Describes the call of a response. For a response from another client, only the URL is known. */
export function describeResponse(response: Response) {
  const { url } = response
  const path = URL.canParse(url) ? new URL(url).pathname : 'The call'
  return describeCall(callOf(response) ?? startCall(path, url), response)
}
