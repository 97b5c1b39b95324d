import { type Redact, redactionFor } from '../redact.ts'

/** Why an attempt is repeated: an error response, or the error that prevented a response. */
export type RetryReason = { readonly pauseMs: number } & (
  | { readonly status: number; readonly error?: undefined }
  | { readonly status?: undefined; readonly error: unknown }
)

/** Facts about a request that wrappers share, in addition to its content. */
export interface RequestFacts {
  /** Method and path template, such as `GET /pullzone/{id}`; ids and query stay out of messages and metrics. */
  operation: string
  /** Whether the request can safely be sent twice. */
  isRepeatable: boolean
  /** Whether the contract requires no credential. */
  isOpen: boolean
  /** The credential that was sent, so that errors can hide it. */
  secret: string
  /** Reports to the observers of the call, outermost first. */
  readonly observed: { retry(reason: RetryReason): void; wait(heldMs: number): void }[]
}

const facts = new WeakMap<Request, RequestFacts>()
/** The request of each response, for errors that are created from the response later. */
export const requests = new WeakMap<Response, Request>()

/** Responses and errors that no retry repeats: an inner one has done so already, or it cannot help. */
export const exhausted = new WeakSet<object>()

/** @returns the facts of a request, which callers may change; the initial facts come from its method and URL */
export function requestFacts(request: Request): RequestFacts {
  const known = facts.get(request) ?? {
    operation: `${request.method} ${requestPath(request.url)}`,
    isRepeatable: /^(GET|HEAD|OPTIONS)$/.test(request.method),
    isOpen: false,
    secret: '',
    observed: [],
  }
  facts.set(request, known)
  return known
}

/** @returns the path of an absolute URL, as sent, without the query */
export function requestPath(url: string): string {
  return url.slice(url.indexOf('/', 8)).replace(/[?#].*/s, '')
}

/** @returns the request with changes, and with the facts of the original; a body can be read from the copy only */
export function copyRequest(request: Request, init: RequestInit): Request {
  const copy = new Request(request, init)
  facts.set(copy, requestFacts(request))
  return copy
}

/** @returns a request to send that may be sent again: a clone if it has a body, because a body can be read only once */
export function repeatable(request: Request): Request {
  if (!request.body) return request
  const clone = request.clone()
  facts.set(clone, requestFacts(request))
  return clone
}

type Bytes = Uint8Array<ArrayBuffer>
type Chunk = Awaited<ReturnType<ReadableStreamDefaultReader<Bytes>['read']>>

/**
 * Changes how the body of a response is read.
 *
 * @param readChunk called for each chunk, with the function that reads it
 * @param end called when the body has ended, failed or been cancelled; at once if there is no body
 * @returns the response with such a body
 */
export function wrapBody(
  response: Response,
  readChunk: (read: () => Promise<Chunk>) => Promise<Chunk>,
  end: () => void = () => {},
): Response {
  // Chromium gives such a response a body, but a new one may not have any.
  const isEmpty = [204, 205, 304].includes(response.status)
  const reader = isEmpty ? undefined : response.body?.getReader()
  if (!reader) {
    end()
    return response
  }
  const cancel = (reason: unknown) => {
    end()
    return reader.cancel(reason)
  }
  const body = new ReadableStream<Bytes>(
    {
      async pull(controller) {
        try {
          const { done, value } = await readChunk(() => reader.read())
          if (!done) return controller.enqueue(value)
          cancel(undefined).catch(() => {})
          controller.close()
        } catch (error) {
          cancel(error).catch(() => {})
          throw error
        }
      },
      cancel,
    },
    { highWaterMark: 0 },
  )
  const copy = new Response(body, response)
  const request = requests.get(response)
  if (request) requests.set(copy, request)
  if (exhausted.has(response)) exhausted.add(copy)
  return Object.defineProperty(copy, 'url', { value: response.url }) // a new Response has no URL
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

/** Describes a call by its request or response. Of a response from another client, only the URL is known. */
export function describeCall(message: Request | Response) {
  const [request, response] = 'status' in message ? [requests.get(message), message] : [message]
  const { url } = request ?? message
  const { pathname = 'The call', host = '' } = URL.canParse(url) ? new URL(url) : {}
  const { operation = pathname, secret } = request ? requestFacts(request) : {}
  return { operation, host, redact: redactionFor(request?.headers, secret), response }
}
