import createOpenapiClient from 'openapi-fetch'
import type { CallResult, Calls, Method, ParseAs } from './calls.ts'
import { type Credentials, credentialHeader } from './credentials.ts'
import type { Refusal } from './errors/refusal.ts'
import { type Exchange, exchange } from './exchange.ts'
import { encodePath, encodeQuery } from './parameters.ts'

/** Options of a client; at most one of `accessKey` and `bearer`. */
export type ClientOptions = Credentials & {
  /** Where the interface is; the public platform where absent. The credential goes to this origin only. */
  readonly baseUrl?: string | URL | undefined
  /** Sends the requests; the runtime's own where absent. */
  readonly fetch?: typeof fetch | undefined
}

interface AnyOptions {
  readonly params?: { readonly path?: Record<string, unknown>; readonly query?: Record<string, unknown> }
  readonly body?: unknown
  readonly headers?: HeadersInit
  readonly signal?: AbortSignal
  readonly parseAs?: ParseAs
}

/**
 * Makes the typed calls of one interface. openapi-fetch builds the requests; sending and reading the answer is
 * `exchange`, because every decision about an answer (redirects, errors, exact integers) is ours.
 *
 * @param options where, with which credential, by which fetch
 * @param toError makes the interface's error from an answer that is no success
 * @throws TypeError when the base URL or the credentials cannot be used
 */
export function createCalls<Paths, ApiError extends Error>(
  options: ClientOptions & { readonly baseUrl: string | URL },
  toError: (refusal: Refusal) => ApiError,
): Calls<Paths, ApiError> {
  const credential = credentialHeader(options)
  const send = options.fetch ?? ((request: Request) => globalThis.fetch(request))
  const built = new Response(null)
  const openapi = createOpenapiClient({
    baseUrl: checkBaseUrl(options.baseUrl),
    redirect: 'manual',
    pathSerializer: encodePath,
    querySerializer: encodeQuery,
    bodySerializer: encodeBody,
  })
  const build = openapi.request as unknown as (method: string, path: string, init: object) => Promise<unknown>

  const call = (method: Method, path: string, { params, body, headers, signal, parseAs = 'json' }: AnyOptions = {}) =>
    new Promise<CallResult<unknown, ApiError>>((resolve, reject) => {
      // A path such as `@host` would make the base URL's host a user name.
      if (!path.startsWith('/')) throw new TypeError('A path starts with a slash')
      const operation = `${method.toUpperCase()} ${path}`
      const fetchOnce = async (request: Request): Promise<Response> => {
        if (credential) request.headers.set(...credential)
        const asked: Exchange<ApiError> = { request, operation, parseAs, signal, send, toError }
        resolve(await exchange(asked))
        return built
      }
      build(method, path, {
        params: { ...params, path: params?.path ?? {} },
        body,
        headers: bodyHeaders(body, headers),
        signal,
        parseAs: 'stream',
        fetch: fetchOnce,
      }).catch(reject)
    })
  const bind = (method: Method) => (path: string, init?: AnyOptions) => call(method, path, init)
  return { GET: bind('get'), PUT: bind('put'), POST: bind('post'), DELETE: bind('delete') } as unknown as Calls<
    Paths,
    ApiError
  >
}

/** The address is not repeated in messages: it may hold a password. */
function checkBaseUrl(baseUrl: string | URL): string {
  const url = URL.canParse(String(baseUrl)) ? new URL(baseUrl) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new TypeError('baseUrl must be an http or https URL without user name, password, query and fragment')
  }
  return url.href
}

function isRaw(body: unknown): body is Blob | ArrayBuffer | ArrayBufferView {
  return body instanceof Blob || body instanceof ArrayBuffer || ArrayBuffer.isView(body)
}

function encodeBody(body: unknown): BodyInit {
  return isRaw(body) ? (body as BodyInit) : JSON.stringify(body)
}

function bodyHeaders(body: unknown, headers: HeadersInit | undefined): HeadersInit | undefined {
  if (!isRaw(body)) return headers
  const merged = new Headers(headers)
  if (!merged.has('Content-Type')) merged.set('Content-Type', 'application/octet-stream')
  return merged
}
