import { parseJson } from '@cdn/kit/json'
import type { Client, ClientOptions, Middleware } from 'openapi-fetch'
import { concat, decode } from './bytes.ts'
import { bodyError, TransportError } from './errors/transport-error.ts'
import { type Call, callOf, describeResponse, endLimits, markResponse, startCall, withCall } from './fetch/call.ts'
import { limitedReader, readLimited, toStream, withBody } from './fetch/time-limit.ts'
import type { RetryOptions } from './fetch/with-retry.ts'
import type { Fetch } from './fetch/wrapper.ts'
import type { InterfaceFacts, OperationFacts } from './interface-facts.ts'
import { redactValue } from './redact.ts'
import { userAgent } from './user-agent.ts'

/** Default maximum length of a body that is held in memory, in bytes. Pages of logs have their own (`request-page.ts`). */
const defaultMaxBytes = 24 * 1024 * 1024
const maxErrorBytes = 65_536

/** Options of one call, beside those of openapi-fetch. They replace those of the client. */
export interface CallOptions {
  /** How the call is repeated; `false`: not at all, not even by a `withRetry` of the client. */
  readonly retry?: RetryOptions | false | undefined
  /** Maximum time of each attempt in milliseconds, with its body; `false`: unlimited. */
  readonly timeout?: number | false | undefined
}

type HeadersOption = ClientOptions['headers']

/** Options of a client that a call may replace. */
interface ClientDefaults {
  readonly headers?: HeadersOption
  readonly signal?: AbortSignal | null | undefined
  /** Maximum length of a body in bytes, unless the caller reads it as a stream. */
  readonly maxBodyBytes?: number | undefined
}

interface AnyInit extends CallOptions {
  readonly params?: { readonly path?: object }
  readonly body?: unknown
  readonly headers?: HeadersOption
  readonly signal?: AbortSignal
  readonly middleware?: Middleware[]
  readonly parseAs?: 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream'
}
type Result = { data?: unknown; error?: unknown; response: Response }
type AnyCall = (method: string, path: string, init?: AnyInit) => Promise<Result>
/** A body that openapi-fetch returns for `parseAs: 'stream'`; undefined for a response that has none. */
type Body = ReadableStream<Uint8Array<ArrayBuffer>> | null | undefined

/**
 * Gives the calls of a client what the contract states: media types, exact integers, and errors.
 *
 * @param client requests each response as a stream; by itself, it would parse with `JSON.parse` and read bodies of any length
 * @param fetchFor returns the `fetch` for a call with these options
 * @param defaults the options of the client that a call may replace
 * @returns a client with the same methods
 */
export function addCalls<Paths extends object>(
  client: Client<Paths>,
  { operations }: InterfaceFacts,
  fetchFor: (options: CallOptions) => Fetch,
  defaults: ClientDefaults,
): Client<Paths> {
  const { maxBodyBytes = defaultMaxBytes } = defaults
  let hasMiddleware = false
  const send = client.request as unknown as AnyCall // the types of the paths are those of `Client<Paths>`, which is returned
  const request: AnyCall = async (name, path, { retry, timeout, ...init } = {}) => {
    if (!path.startsWith('/')) throw new TypeError('A path starts with a slash')
    if (!init.params?.path && path.includes('{')) throw new TypeError(`Path parameters of ${path} are missing`)
    const operation = `${name.toUpperCase()} ${path}`
    const facts = operations[operation] ?? {}
    const call = startCall(operation, facts, { isStream: init.parseAs === 'stream', isRepeated: retry === false })
    const wrapped = fetchFor({ retry, timeout })
    const fetch = async (input: Request, more?: RequestInit) => {
      call.request = input
      // A middleware may have replaced the request, and its signal with it.
      call.signal = hasMiddleware || init.middleware ? input.signal : (init.signal ?? defaults.signal ?? undefined)
      const response = markResponse(await wrapped(input, withCall(more, call)), call)
      return response.ok ? response : readError(response, call)
    }
    const headers = headersFor(facts, init, defaults.headers)
    const result = await send(name, path, { fetch, ...init, headers, parseAs: 'stream' } as AnyInit)
    const { response } = result
    if (callOf(response) !== call) markResponse(response, call) // a middleware has replaced it
    return response.ok
      ? { response, ...(await readSuccess(result, call, facts, { maxBytes: maxBodyBytes, ...init })) }
      : { response, error: redactError(response, result.error) }
  }
  const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']
  const calls = methods.map((method) => [method, (path: string, init?: AnyInit) => request(method, path, init)])
  const use = (...middleware: Middleware[]) => {
    hasMiddleware = true
    client.use(...middleware)
  }
  return { ...client, request, ...Object.fromEntries(calls), use }
}

/** The headers of every request, unless the caller sets them. */
export const defaultHeaders = { Accept: 'application/json', ...(userAgent && { 'User-Agent': userAgent }) }

/** Returns the headers of a call, with the media types of its operation if the caller sets no others. */
function headersFor({ accept, contentType }: OperationFacts, { headers, body }: AnyInit, ofClient: HeadersOption) {
  const type = body !== undefined && !(body instanceof FormData) ? contentType : undefined
  if (!accept && !type) return headers
  return {
    ...(accept && { Accept: accept }),
    ...(type && { 'Content-Type': type }),
    ...toObject(ofClient),
    ...toObject(headers),
  }
}

/** Headers by their lower-case names; openapi-fetch applies them in order. */
export function toObject(headers: HeadersOption): Record<string, unknown> {
  return Object.fromEntries(
    headers instanceof Headers || Array.isArray(headers) ? headers : Object.entries(headers ?? {}),
  )
}

/** Reads the body of a success. In JSON, integers stay exact, and invalid JSON becomes a TransportError instead of a SyntaxError. */
async function readSuccess(
  { data, response }: Result,
  call: Call,
  { mayBeEmpty }: OperationFacts,
  { parseAs = 'json', maxBytes }: AnyInit & { readonly maxBytes: number },
): Promise<{ data?: unknown; response?: Response }> {
  const body = data as Body
  const limits = call.limits.splice(0)
  const toError = (cause: unknown) => {
    if (call.signal?.aborted) return call.signal.reason
    if (cause instanceof TransportError) return cause
    return bodyError(response, cause instanceof RangeError ? cause.message : 'cannot be read to its end', cause)
  }
  if (parseAs === 'stream' && body) {
    const streamed = withBody(response, () => toStream(limitedReader(body, limits), toError), call)
    return { response: streamed, data: streamed.body }
  }
  const bytes = await readLimited(body, limits, maxBytes).catch((cause) => {
    throw toError(cause)
  })
  if (parseAs !== 'json') {
    const copy = new Response(bytes, { headers: response.headers })
    return { data: body && parseAs !== 'stream' ? await copy[parseAs]() : undefined }
  }
  // A write may succeed without a body, with any 2xx status. A read must have a body, unless the contract states otherwise.
  const isRead = call.operation.startsWith('GET ') && response.status !== 204
  if (bytes.length === 0 && (!isRead || mayBeEmpty)) return { data: undefined }
  const text = decode(bytes)
  try {
    return { data: parseJson(text) }
  } catch {
    // The parser's message would quote the text, unredacted.
    throw bodyError(response, 'is not JSON', undefined, text)
  }
}

/** Reads the start of an error body, which is enough. A body that cannot be read to its end counts as far as it came. */
async function readError(response: Response, call: Call): Promise<Response> {
  const { body } = response
  if (!body) {
    endLimits(call)
    return response
  }
  const reader = limitedReader(body, call.limits.splice(0))
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for (let chunk = await reader.read(); chunk.value; chunk = await reader.read()) {
      length += chunk.value.length
      parts.push(chunk.value)
      if (length >= maxErrorBytes) break
    }
  } catch {
    call.signal?.throwIfAborted()
  }
  reader.cancel().catch(() => {})
  return withBody(response, () => concat(parts), call)
}

/** Redacts an error body. Without a body it becomes `{}` instead of `""` or `undefined`, so that `if (error)` is true. */
function redactError(response: Response, error: unknown): unknown {
  if (error === '' || error === undefined) return {}
  const { redact } = describeResponse(response)
  return typeof error === 'string' ? redact(error) : redactValue(error, redact)
}
