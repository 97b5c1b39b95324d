import { parseJson, stringifyJson } from '@cdn/kit/json'
import createClient, { type Middleware, type ClientOptions as OpenapiOptions } from 'openapi-fetch'
import { decode, readBytes } from './bytes.ts'
import { BodyLimitError, bodyError, TransportError } from './errors/transport-error.ts'
import { type Bytes, type FetchBody, toStream, withBody } from './fetch/body.ts'
import { type Call, describeCall, endCall, markResponse, startCall, toRecordOfHeaders, withCall } from './fetch/call.ts'
import { type Clock, realClock } from './fetch/clock.ts'
import { TimeLimit } from './fetch/time-limits.ts'
import type { Fetch } from './fetch/wrapper.ts'
import type { InterfaceFacts, OperationFacts } from './interface-facts.ts'
import type { NamedClient } from './named-client.ts'
import { type CallOptions, callOptions, checkOptions } from './options.ts'
import { bodySerializer, checkBaseUrl, mediaTypeOf, pathSerializer, querySerializer } from './serializers.ts'
import { userAgent } from './user-agent.ts'

/** Default maximum length of a body that is held in memory, in bytes. Pages of logs have their own limit (`request-page.ts`). */
const defaultMaxBytes = 24 * 1024 * 1024
const maxErrorLength = 65_536
const json = 'application/json'

/**
 * A `fetch` as openapi-fetch calls it: with a Request. The second parameter holds the same request as a RequestInit, for
 * implementations of `fetch` that do not accept the global Request class.
 */
export type SendRequest = (request: Request, init?: RequestInit) => Promise<Response>

type BodySerializer = (body: unknown, headers: Headers) => FetchBody | undefined

/** Options of one call that decide how its request is sent. */
export interface Sender extends CallOptions {
  readonly fetch?: SendRequest | undefined
  readonly Request?: typeof Request | undefined
}

/** Options that all calls of a client share. Most are options of openapi-fetch. */
interface Shared extends Omit<OpenapiOptions, 'baseUrl' | 'fetch' | 'Request' | 'bodySerializer'> {
  readonly baseUrl: string
  readonly bodySerializer?: BodySerializer | undefined
  readonly maxBodyBytes?: number | undefined
  readonly clock?: Clock | undefined
}

interface CallInit extends Sender, Omit<RequestInit, 'headers' | 'body'> {
  readonly params?: { readonly header?: OpenapiOptions['headers'] }
  readonly baseUrl?: string | URL
  readonly body?: unknown
  readonly bodySerializer?: BodySerializer
  readonly headers?: OpenapiOptions['headers']
  readonly middleware?: readonly Middleware[]
  readonly parseAs?: 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream'
}

interface Result {
  readonly data?: unknown
  readonly error?: unknown
  readonly response: Response
}

/**
 * Creates a client of openapi-fetch whose requests follow the contract: they have its media types, exact integers, and values that
 * cannot change the path. openapi-fetch builds the request and runs the middlewares. It sends with our `fetch`, and leaves the body of
 * the response to us, because only we know the limits of the call.
 *
 * @param fetchFor returns the stack of wrappers for a call
 */
export function createOpenapiClient<Paths extends object>(
  { operations }: InterfaceFacts,
  fetchFor: (sender: Sender) => Fetch,
  { maxBodyBytes = defaultMaxBytes, clock = realClock, ...options }: Shared,
): NamedClient<Paths> {
  const { headers: clientHeaders, signal: clientSignal, bodySerializer: clientSerializer, ...shared } = options
  const client = createClient<object>({ pathSerializer, querySerializer, ...shared })

  // The types of the client already check path and options of each call.
  const sendCall = client.request as unknown as (method: string, path: string, init: object) => Promise<Result>

  /** Returns the body as it is sent, and all headers but those of `params`, which openapi-fetch adds. */
  function serialize(
    { accept = json, contentType = json }: OperationFacts,
    { body: value, headers: own, params, ...init }: CallInit,
  ) {
    const headers = toRecordOfHeaders({ accept, 'user-agent': userAgent }, clientHeaders, own)
    if (value === undefined) return { headers, body: undefined }
    const custom = init.bodySerializer ?? clientSerializer
    const known = toRecordOfHeaders(headers, params?.header)
    const body = custom ? custom(value, new Headers(known)) : bodySerializer(value, known['content-type'])
    // Without null, openapi-fetch would add a media type.
    return { headers: { 'content-type': mediaTypeOf(body, contentType) ?? null, ...headers }, body }
  }

  async function request(name: string, path: string, init: CallInit = {}) {
    checkOptions(init, callOptions)
    const method = name.toUpperCase()
    const { retry, timeout, idleTimeout, fetch, Request, parseAs = 'json', ...rest } = init
    if (!path.startsWith('/')) throw new TypeError('A path starts with a slash')
    const operation = `${method} ${path}`
    const facts = operations[operation] ?? {}
    const { headers, body } = serialize(facts, rest)
    const isRetryOff = retry === false || body instanceof ReadableStream
    const call = startCall(operation, '', facts, { isStream: parseAs === 'stream', isRetryOff })
    const send = fetchFor({ retry, timeout, idleTimeout, fetch, Request })
    const given = init.signal ?? clientSignal
    // A Request listens to its signal until the Request is garbage-collected. So it gets a signal that ends with the call.
    const outer = given ? new TimeLimit({ outer: given, clock }) : undefined
    let signal = outer?.signal
    let refused: Refusal | undefined
    let isHandedOut = false

    /** The `fetch` of openapi-fetch. Its Request has the property `original`, unless a middleware has replaced it. */
    async function sendRequest(request: Request & { original?: true }, ext?: RequestInit): Promise<Response> {
      // The body is sent as it was serialized, so that it can be sent again.
      const own = request.original && body !== undefined && { body, ...half(body) }
      if (!request.original) signal = outer ? AbortSignal.any([request.signal, outer.signal]) : request.signal
      signal?.throwIfAborted()
      Object.assign(call, { request, url: request.url, headers: toRecordOfHeaders(request.headers) })
      const sent = { method: request.method, ...ext, ...own, ...(signal && { signal }), headers: call.headers }
      const response = await send(request, withCall({ ...sent, redirect: 'manual' }, call))
      if (outer) call.limits.add(outer)
      if (response.ok) return response
      refused = await readRefusal(response, call, signal)
      return refused.response
    }

    const sent = {
      ...rest,
      ...half(body),
      ...(rest.baseUrl !== undefined && { baseUrl: checkBaseUrl(rest.baseUrl) }),
      headers,
      params: { path: {}, ...rest.params },
      bodySerializer: () => body,
      signal: outer?.signal,
      parseAs: 'stream',
      fetch: sendRequest,
      ...(Request && { Request }),
      original: true,
    }
    try {
      const { data, error, response } = await sendCall(method, path, sent)
      if (!response.ok) {
        markResponse(response, call)
        // Without a body, the error is `{}`, so that `if (error)` is true.
        return { response, error: (response === refused?.response ? refused.error : error) || {} }
      }
      const reader = data ? call.limits.reader(data as ReadableStream<Bytes>) : undefined
      const toError = (cause: unknown) => (signal?.aborted ? signal.reason : errorOfBody(call, response, cause))
      if (parseAs === 'stream') {
        isHandedOut = reader !== undefined
        const streamed = reader ? withBody(response, toStream(reader, toError)) : response
        return { response: markResponse(streamed, call), data: streamed.body ?? undefined }
      }
      const tooLong = () => new BodyLimitError(describeCall(call, response), maxBodyBytes)
      const bytes = await readBytes(reader, maxBodyBytes, tooLong).catch((cause) => {
        throw toError(cause)
      })
      if (parseAs === 'json') return { response, data: parseBody(bytes, call, response, facts) }
      const headers = { 'content-type': response.headers.get('content-type') ?? '' }
      return { response, data: reader && (await new globalThis.Response(bytes, { headers })[parseAs]()) }
    } finally {
      // If the platform sent no response, the stream comes from a middleware.
      if (!isHandedOut || !call.response) outer?.end()
      if (!isHandedOut) {
        endCall(call)
        Object.assign(call, { request: undefined, response: undefined }) // a runtime keeps responses for a while, and so their calls
      }
    }
  }

  const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']
  const calls = methods.map((method) => [method, (path: string, init?: CallInit) => request(method, path, init)])
  // The types of openapi-fetch derive each call from the paths of the contract.
  return { ...client, request, ...Object.fromEntries(calls) } as unknown as NamedClient<Paths>
}

/** A stream is sent while it is read, which `fetch` must know. */
function half(body: unknown): { duplex?: 'half' } {
  return body instanceof ReadableStream ? { duplex: 'half' } : {}
}

/**
 * Parses a JSON body. The body may be empty for every method except GET, for a 204, and for a GET if the contract shows a success
 * without a body.
 */
function parseBody(bytes: Uint8Array, call: Call, response: Response, { mayBeEmpty = false }: OperationFacts): unknown {
  const isRead = call.operation.startsWith('GET ') && response.status !== 204
  if (bytes.length === 0 && !(isRead && !mayBeEmpty)) return undefined
  const text = decode(bytes)
  try {
    return parseJson(text)
  } catch {
    // The parser's message would quote the text, unredacted.
    throw bodyError(describeCall(call, response), 'is not JSON', undefined, text)
  }
}

function errorOfBody(call: Call, response: Response, cause: unknown): TransportError {
  if (cause instanceof TransportError) return cause
  return bodyError(describeCall(call, response), 'cannot be read to its end', cause)
}

/** An error response of the platform, and its body for the caller. */
interface Refusal {
  readonly response: Response
  readonly error: unknown
}

/**
 * Reads an error body until it has at least `maxErrorLength` characters, and redacts it. If reading fails, it returns the part that
 * arrived; if the signal fires, it throws the signal's reason.
 */
async function readRefusal(refusal: Response, call: Call, signal: AbortSignal | undefined): Promise<Refusal> {
  const reader = refusal.body && call.limits.reader(refusal.body)
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (reader && text.length < maxErrorLength) {
      const { value } = await reader.read()
      if (!value) break
      text += decoder.decode(value, { stream: true })
    }
  } catch {
    signal?.throwIfAborted()
  }
  reader?.cancel().catch(() => {})
  const { redact } = describeCall(call)
  let error: unknown = redact(text)
  try {
    error = redact.value(parseJson(text))
  } catch {
    // The body is not JSON.
  }
  // A middleware sees a body, too, and openapi-fetch reads it.
  const shown = typeof error === 'string' ? error : stringifyJson(error)
  return { response: withBody(refusal, shown ?? null), error }
}
