import type { OperationFacts } from '../interface-facts.ts'
import { type Redact, redactionFor, secretHeader } from '../redact.ts'

/** Why an attempt is repeated: an error response, or the error that prevented a response. */
export type RetryReason = { readonly pauseMs: number } & (
  | { readonly status: number; readonly error?: undefined }
  | { readonly status?: undefined; readonly error: unknown }
)

/** A limit on the body of a response. */
export interface BodyLimit {
  /** Whether only the time without incoming data counts. */
  readonly isIdle: boolean
  /** Reads a chunk of the body, or the whole body. */
  read<T>(next: () => Promise<T>): Promise<T>
  /** Ends the limit: it no longer fires. */
  end(): void
}

/**
 * What the wrappers, the client and the errors of one call share. It goes through the wrappers in their second parameter, and the
 * response of the outermost one has it, too. So a call needs neither copies of its request nor a table of requests.
 */
export interface Call {
  /** Method and path template, such as `GET /pullzone/{id}`; ids and query stay out of messages and metrics. */
  readonly operation: string
  /** Whether the operation can safely be sent twice. */
  readonly isRepeatable: boolean
  /** Whether the contract requires no credential. */
  readonly isOpen: boolean
  /** Whether the caller reads the body as a stream. */
  readonly isStream: boolean
  /** Whether somebody further out repeats the call. */
  isRepeated: boolean
  /** The request, without the credential. */
  request?: Request
  /** The caller's signal. */
  signal?: AbortSignal | undefined
  /** The credential that was sent, so that errors can hide it. */
  secret: string
  /** Reports to the observers of the call, outermost first. */
  readonly observed: { retry(reason: RetryReason): void; wait(heldMs: number): void }[]
  /** Limits that last until the body of the response has been read, the innermost first. */
  readonly limits: BodyLimit[]
}

const key = Symbol('call')

/** The second parameter of `fetch`, with the call. */
export type CallInit = RequestInit & { readonly [key]?: Call }

/** Starts a call. @param facts what the contract states about its operation, beyond what method and path tell */
export function startCall(
  operation: string,
  { isOpen = false, isRepeatable = /^(GET|HEAD|OPTIONS) /.test(operation) }: OperationFacts = {},
  { isStream = false, isRepeated = false } = {},
): Call {
  return { operation, isOpen, isRepeatable, isStream, isRepeated, secret: '', observed: [], limits: [] }
}

/** Adds the call to the second parameter of `fetch`. */
export function withCall(init: RequestInit | undefined, call: Call): CallInit {
  return { ...init, [key]: call }
}

export function callOf(holder: object | undefined): Call | undefined {
  return (holder as CallInit | undefined)?.[key]
}

/** Marks a response as one of a call, for errors that are created from the response later. */
export function markResponse(response: Response, call: Call): Response {
  return Object.defineProperty(response, key, { value: call, configurable: true })
}

/** @returns the path of an absolute URL, as sent, without the query */
export function requestPath(url: string): string {
  return url.slice(url.indexOf('/', 8)).replace(/[?#].*/s, '')
}

/** @returns a request to send that may be sent again: a clone if it has a body, because a body can be read only once */
export function repeatable(request: Request): Request {
  return request.body ? request.clone() : request
}

/** Ends the time limits of a response that is not used, all those from the given index on. */
export function endLimits({ limits }: Call, from = 0): void {
  for (const limit of limits.splice(from)) limit.end()
}

/** The parts of an error that describe its call. */
export interface CallDescription {
  /** Method and path template, such as `GET /pullzone/{id}`. */
  readonly operation: string
  readonly host?: string
  /** Hides the credentials that the request carried. */
  readonly redact?: Redact
  readonly response?: Response | undefined
  /** The response body as text, if it was read. */
  readonly text?: string
}

/** Parses a URL; Node 20 has no `URL.parse`. */
function parseUrl(url = ''): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined
}

/** Describes a call for an error. */
export function describeCall({ operation, request, secret }: Call, response?: Response) {
  const { host = '' } = parseUrl(request?.url ?? response?.url) ?? {}
  return { operation, host, redact: redactionFor(request?.headers, secret), response }
}

/** Whether a call was sent without any credential, although the contract requires one. */
export function isAnonymous({ isOpen, secret, request }: Call): boolean {
  return !isOpen && secret === '' && ![...(request?.headers.keys() ?? [])].some((name) => secretHeader.test(name))
}

/** Describes the call of a response. Of a response from another client, only the URL is known. */
export function describeResponse(response: Response) {
  const call = callOf(response)
  return describeCall(call ?? startCall(parseUrl(response.url)?.pathname ?? 'The call'), response)
}
