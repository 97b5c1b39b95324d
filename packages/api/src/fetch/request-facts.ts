import { type Redact, redactionFor } from '../redact.ts'
import type { ObservedCall, Observer } from './observer.ts'

/** Facts about a request that wrappers share, in addition to its content. */
export interface RequestFacts {
  /** Method and path template, such as `GET /pullzone/{id}`; ids and query stay out of messages and metrics. */
  operation: string
  /** Whether the request can safely be sent twice. */
  isRepeatable: boolean
  /** Whether the contract requires no credential. */
  isOpen: boolean
  /** Returns the credential that was sent, so that errors can hide it. A function, so that printing a request does not show it. */
  secret: () => string
  /** The observers of the call, outermost first. */
  readonly observed: { readonly observer: Observer; readonly call: ObservedCall }[]
}

// The facts are properties of the objects themselves. Weak maps would cost the garbage collector more than the rest of a call.
const facts = Symbol('facts')
const origin = Symbol('request')
type Known = Request & { [facts]?: RequestFacts }
type Answered = Response & { [origin]?: Request }

/** @returns the facts of a request, which callers may change; the initial facts come from its method and URL */
export function requestFacts(request: Request): RequestFacts {
  const known: Known = request
  known[facts] ??= {
    operation: `${request.method} ${requestPath(request.url)}`,
    isRepeatable: /^(GET|HEAD|OPTIONS)$/.test(request.method),
    isOpen: false,
    secret: () => '',
    observed: [],
  }
  return known[facts]
}

/** @returns the path of an absolute URL, as sent, without the query */
export function requestPath(url: string): string {
  return url.slice(url.indexOf('/', 8)).replace(/[?#].*/s, '')
}

/**
 * Copies a request that may be sent more than once, because a body can be read only once.
 *
 * @returns the request itself if it has no body
 */
export function repeatable(request: Request): Request {
  return request.body ? withFacts(request.clone(), request) : request
}

/** @returns the copy, with the facts of the original */
export function withFacts(copy: Request, original: Request): Request {
  const known: Known = copy
  known[facts] = requestFacts(original)
  return copy
}

/** Stores the request of a response, for errors that are created from the response later. */
export function setRequest(response: Response, request: Request): void {
  const answered: Answered = response
  answered[origin] = request
}

/**
 * Copies a response with another body. `new Response` drops the URL and the facts.
 *
 * @param length length of the body, if the original header may not fit
 */
export function replaceBody(
  response: Answered,
  body: ConstructorParameters<typeof Response>[0],
  length?: number,
): Response {
  const { status, statusText, url } = response
  const headers = new Headers(response.headers)
  if (length !== undefined) headers.set('Content-Length', String(length))
  const copy: Answered = new Response(body, { status, statusText, headers })
  const request = response[origin]
  if (request) copy[origin] = request
  if (exhausted.has(response)) exhausted.add(copy)
  return Object.defineProperty(copy, 'url', { value: url })
}

/** Responses and errors that no retry repeats: an inner one has done so already, or it cannot help. */
export const exhausted = new WeakSet<object>()

/** The parts of an error that describe its call. */
export interface CallDescription {
  /** Method and path template, such as `GET /pullzone/{id}`. */
  readonly operation: string
  readonly host: string
  /** Hides the credentials that the request carried. */
  readonly redact: Redact
  readonly response?: Response
}

/** Describes a call for an error. */
export function describeRequest(request: Request): CallDescription {
  const { operation, secret } = requestFacts(request)
  return { operation, host: new URL(request.url).host, redact: redactionFor(request.headers, secret()) }
}

/** Describes a call by its response. If the response comes from another client, uses only its URL. */
export function describeAnswer(response: Answered): CallDescription {
  const request = response[origin]
  if (request) return { ...describeRequest(request), response }
  const url = URL.canParse(response.url) ? new URL(response.url) : undefined
  return { operation: url?.pathname ?? 'The call', host: url?.host ?? '', redact: redactionFor(), response }
}
