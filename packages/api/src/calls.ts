import { parseJson } from '@cdn/kit/json'
import type { Middleware, ClientOptions as OpenapiOptions } from 'openapi-fetch'
import { decode, readBytes } from './bytes.ts'
import { bodyError, TransportError } from './errors/transport-error.ts'
import { type BodyReader, limitedReader, toStream, withBody } from './fetch/body.ts'
import {
  type Call,
  describeCall,
  endLimits,
  markResponse,
  startCall,
  toRecordOfHeaders,
  withCall,
} from './fetch/call.ts'
import type { RetryOptions } from './fetch/with-retry.ts'
import type { Fetch } from './fetch/wrapper.ts'
import type { InterfaceFacts } from './interface-facts.ts'
import { type AboutCall, throughMiddlewares } from './middlewares.ts'
import type { NamedClient } from './named-client.ts'
import { bodySerializer, pathSerializer, querySerializer } from './serializers.ts'
import { userAgent } from './user-agent.ts'

/** Default maximum length of a body that is held in memory, in bytes. Pages of logs have their own (`request-page.ts`). */
const defaultMaxBytes = 24 * 1024 * 1024
const maxErrorLength = 65_536
const json = 'application/json'

/** Options of one call, in addition to those of openapi-fetch. They replace the options of the client. */
export interface CallOptions {
  /** How the call is retried; `false`: no retries, not even by a `withRetry` of the client. */
  readonly retry?: RetryOptions | false | undefined
  /** Maximum time of each attempt in milliseconds, including the body, unless it is read as a stream; `false`: unlimited. */
  readonly timeout?: number | false | undefined
  /** Maximum time without incoming data in milliseconds, also of a stream; unlimited by default. */
  readonly idleTimeout?: number | false | undefined
}

type HeadersOption = OpenapiOptions['headers']

/** The parts of a request that all calls of a client share. */
interface Shared extends Omit<RequestInit, 'headers'> {
  readonly baseUrl: string
  readonly headers?: HeadersOption
  readonly maxBodyBytes?: number | undefined
  readonly requestInitExt?: Record<string, unknown> | undefined
}

interface CallInit extends CallOptions, Omit<RequestInit, 'body' | 'headers'> {
  readonly params?: {
    readonly path?: Record<string, unknown>
    readonly query?: object
    readonly header?: HeadersOption
  }
  readonly body?: unknown
  readonly headers?: HeadersOption
  readonly middleware?: readonly Middleware[]
  readonly parseAs?: 'json' | 'text' | 'blob' | 'arrayBuffer' | 'stream'
  readonly baseUrl?: string
}

/**
 * Creates a client with the methods, the middlewares and the types of openapi-fetch. Requests follow the contract: they have
 * its media types, exact integers, and values that cannot change the path.
 *
 * @param fetchFor returns the `fetch` for a call with these options
 */
export function createCalls<Paths extends object>(
  { operations }: InterfaceFacts,
  fetchFor: (options: CallOptions) => Fetch,
  { baseUrl: clientUrl, headers: clientHeaders, maxBodyBytes = defaultMaxBytes, requestInitExt, ...common }: Shared,
): NamedClient<Paths> {
  let middlewares: readonly Middleware[] = []

  /** Prepares a call: the `Call` that wrappers and errors share, the second parameter of `fetch`, and the base URL. */
  function start(method: string, path: string, init: CallInit, ends: { isStream: boolean; isRepeated: boolean }) {
    const { params = {}, body, headers, baseUrl = clientUrl, ...own } = init
    // The types of openapi-fetch permit these options. Ignoring one would send another request than the caller expects.
    const key = Object.keys(own).find((name) => /^fetch$|Serializer$/.test(name))
    if (key) throw new TypeError(`A call has no ${key}`)
    const operation = `${method} ${path}`
    const facts = operations[operation] ?? {}
    const { accept = json, contentType = json } = facts
    const url = addressFor(baseUrl, path, params)
    const call = startCall(operation, url, facts, ends)
    const stated = { accept, 'user-agent': userAgent, 'content-type': body === undefined ? undefined : contentType }
    call.headers = toRecordOfHeaders(stated, clientHeaders, headers, params.header)
    const sent: RequestInit = {
      ...requestInitExt,
      ...common,
      ...own,
      method,
      headers: call.headers,
      body: body === undefined ? null : (bodySerializer(body) ?? null),
      redirect: 'manual',
    }
    return { call, sent, baseUrl }
  }

  async function request(name: string, path: string, init: CallInit = {}) {
    const method = name.toUpperCase()
    const { retry, timeout, idleTimeout, middleware = [], parseAs = 'json', ...rest } = init
    const ends = { isStream: parseAs === 'stream', isRepeated: retry === false }
    const { call, sent, baseUrl } = start(method, path, rest, ends)
    const fetch = fetchFor({ retry, timeout, idleTimeout })
    const all = [...middlewares, ...middleware]
    let { signal } = sent
    const send = (changed: Request) => {
      signal = changed.signal
      call.headers = toRecordOfHeaders(changed.headers)
      return fetch(changed, withCall({ ...requestInitExt, signal, headers: call.headers, redirect: 'manual' }, call))
    }
    const options = { baseUrl, parseAs, querySerializer, bodySerializer, pathSerializer, fetch: globalThis.fetch }
    const params = (init.params ?? {}) as AboutCall['params'] // as the types of openapi-fetch state it
    const about = { schemaPath: path, params, id: String(Math.random()), options }
    const response = await (all.length > 0
      ? throughMiddlewares(all, new Request(call.url, sent), about, send)
      : fetch(call.url, withCall(sent, call)))
    if (!response.body) endLimits(call)
    const reader = response.body && limitedReader(response.body, call.limits.splice(0))
    if (!response.ok) return { response: markResponse(response, call), error: await readError(reader, call, signal) }
    const toError = (cause: unknown) => (signal?.aborted ? signal.reason : errorOfBody(call, response, cause))
    if (parseAs === 'stream') {
      const streamed = reader ? withBody(response, () => toStream(reader, toError)) : response
      return { response: markResponse(streamed, call), data: streamed.body ?? undefined }
    }
    const bytes = await readBytes(reader, maxBodyBytes).catch((cause) => {
      throw toError(cause)
    })
    if (parseAs !== 'json')
      return { response, data: reader ? await new Response(bytes, response)[parseAs]() : undefined }
    return { response, data: parseBody(bytes, call, response) }
  }

  /**
   * Parses a JSON body. The body may be empty for every method except GET, for a 204, and for a GET if the contract shows a success
   * without a body.
   */
  function parseBody(bytes: Uint8Array, call: Call, response: Response): unknown {
    const isRead = call.operation.startsWith('GET ') && response.status !== 204
    if (bytes.length === 0 && !(isRead && !operations[call.operation]?.mayBeEmpty)) return undefined
    const text = decode(bytes)
    try {
      return parseJson(text)
    } catch {
      // The parser's message would quote the text, unredacted.
      throw bodyError(describeCall(call, response), 'is not JSON', undefined, text)
    }
  }

  const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']
  const calls = methods.map((method) => [method, (path: string, init?: CallInit) => request(method, path, init)])
  const use = (...more: Middleware[]) => {
    middlewares = [...middlewares, ...more]
  }
  const eject = (...gone: Middleware[]) => {
    middlewares = middlewares.filter((each) => !gone.includes(each))
  }
  // The types of openapi-fetch derive each call from the paths of the contract.
  return { request, ...Object.fromEntries(calls), use, eject } as unknown as NamedClient<Paths>
}

/** Returns the URL of a call. @throws TypeError or RangeError for a path without a leading slash, or a value that cannot be sent exactly */
function addressFor(baseUrl: string, path: string, { path: values, query }: NonNullable<CallInit['params']>): string {
  if (!path.startsWith('/')) throw new TypeError('A path starts with a slash')
  const search = querySerializer({ ...query })
  return `${baseUrl.replace(/\/$/, '')}${pathSerializer(path, { ...values })}${search && `?${search}`}`
}

function errorOfBody(call: Call, response: Response, cause: unknown): TransportError {
  if (cause instanceof TransportError) return cause
  const what = cause instanceof RangeError ? cause.message : 'cannot be read to its end'
  return bodyError(describeCall(call, response), what, cause)
}

/**
 * Reads an error body until it has at least `maxErrorLength` characters, and redacts it. If reading fails, it returns the part that
 * arrived; if the signal fires, it throws the signal's reason.
 */
async function readError(reader: BodyReader | null, call: Call, signal: AbortSignal | null | undefined) {
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
  // Without a body, the error is `{}`, so that `if (error)` is true.
  if (text === '') return {}
  const { redact } = describeCall(call)
  try {
    return redact.value(parseJson(text))
  } catch {
    return redact(text)
  }
}
