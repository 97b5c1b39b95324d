import { parseJson } from '@cdn/kit/json'
import type { Client, Middleware } from 'openapi-fetch'
import { decode, readBytes } from './bytes.ts'
import { bodyError, TransportError } from './errors/transport-error.ts'
import { describeCall, requestFacts, wrapBody } from './fetch/request-facts.ts'
import type { InterfaceFacts } from './interface-facts.ts'
import { redactValue } from './redact.ts'

const json = 'application/json'
/** Default maximum length of a body that is held in memory, in bytes. Pages of logs have their own (`request-page.ts`). */
const defaultMaxBytes = 24 * 1024 * 1024
const maxErrorBytes = 65_536

/**
 * Creates the middleware of every client. It gives requests the media types of the contract. A body that cannot be read to its end
 * becomes a TransportError; of an error body, the start is enough.
 */
export function prepareCalls({ operations }: InterfaceFacts): Middleware {
  return {
    onRequest({ request, schemaPath, params }) {
      if (!schemaPath.startsWith('/')) throw new TypeError('A path starts with a slash')
      if (!params.path && schemaPath.includes('{')) throw new TypeError(`Path parameters of ${schemaPath} are missing`)
      const { method, headers } = request
      const operation = `${method} ${schemaPath}`
      const { accept = json, contentType, isRepeatable, isOpen = false } = operations[operation] ?? {}
      const facts = requestFacts(request)
      Object.assign(facts, { operation, isOpen }, isRepeatable !== undefined && { isRepeatable })
      if (!headers.has('Accept')) headers.set('Accept', accept)
      if (contentType && headers.get('Content-Type') === json) headers.set('Content-Type', contentType)
    },
    onResponse({ request, response }) {
      let length = 0
      return wrapBody(response, async (read) => {
        try {
          if (!response.ok && length >= maxErrorBytes) return { done: true, value: undefined }
          const chunk = await read()
          length += chunk.value?.length ?? 0
          return chunk
        } catch (cause) {
          if (request.signal.aborted) throw request.signal.reason
          if (!response.ok) return { done: true, value: undefined }
          throw cause instanceof TransportError ? cause : bodyError(response, 'cannot be read to its end', cause)
        }
      })
    },
  }
}

type ParseAs = 'text' | 'blob' | 'arrayBuffer' | 'stream'
/** A call of any path, without the types of the contract. */
type Call = (
  method: string,
  path: string,
  init?: { readonly parseAs?: ParseAs | 'json' },
) => Promise<{ data?: unknown; error?: unknown; response: Response }>
/** A body that openapi-fetch returns for `parseAs: 'stream'`; undefined for a response that has none. */
type Body = ReadableStream<Uint8Array<ArrayBuffer>> | null | undefined

/**
 * Parses responses: in JSON, integers stay exact, and invalid JSON becomes a TransportError instead of a SyntaxError. An error body
 * is redacted. An error without a body becomes `{}` instead of `""` or `undefined`, so that `if (error)` is true.
 *
 * @param client requests each response as a stream; by itself, it would parse with `JSON.parse` and read bodies of any length
 * @param maxBytes maximum length of a body in bytes, unless the caller reads it as a stream
 * @returns a client with the same methods
 */
export function parseResponses<Paths extends object>(
  client: Client<Paths>,
  { operations }: InterfaceFacts,
  maxBytes = defaultMaxBytes,
): Client<Paths> {
  const send = client.request as unknown as Call // the types of the paths are those of `Client<Paths>`, which is returned
  const request: Call = async (method, path, init) => {
    const { parseAs = 'json' } = init ?? {}
    const { data, error, response } = await send(method, path, { ...init, parseAs: 'stream' })
    if (!response.ok) return { response, error: redactError(response, error) }
    if (parseAs === 'stream') return { response, data }
    const body = data as Body
    const bytes = await readBytes(body, maxBytes).catch((cause) => {
      throw cause instanceof RangeError ? bodyError(response, cause.message, cause) : cause
    })
    if (parseAs !== 'json') return { response, data: body && (await new Response(bytes, response)[parseAs]()) }
    // A write may succeed without a body, with any 2xx status. A read must have a body, unless the contract states otherwise.
    const isRead = method.toUpperCase() === 'GET' && response.status !== 204
    if (bytes.length === 0 && (!isRead || operations[`GET ${path}`]?.mayBeEmpty)) return { response, data: undefined }
    const text = decode(bytes)
    try {
      return { response, data: parseJson(text) }
    } catch {
      // The parser's message would quote the text, unredacted.
      throw bodyError(response, 'is not JSON', undefined, text)
    }
  }
  const methods = ['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS', 'HEAD', 'PATCH', 'TRACE']
  const calls = methods.map((method) => [method, (path: string, init?: object) => request(method, path, init)])
  return { ...client, request, ...Object.fromEntries(calls) }
}

function redactError(response: Response, error: unknown): unknown {
  if (error === '' || error === undefined) return {}
  const { redact } = describeCall(response)
  return typeof error === 'string' ? redact(error) : redactValue(error, redact)
}
