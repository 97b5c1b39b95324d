import type { Calls, Method, Parse, ParseAs } from './calls.ts'
import { type Credentials, credentialSource } from './credentials.ts'
import type { CallError, Failure } from './errors/call-error.ts'
import type { Answered } from './errors/refusal.ts'
import { exchange } from './exchange.ts'
import { type Call, compose, type Middleware } from './middleware.ts'
import { encodePath, encodeQuery } from './parameters.ts'

/** Options of a client; at most one of `accessKey` and `bearer`. */
export type ClientOptions = Credentials & {
  /** Where the interface is; the public platform where absent. The credential goes to this origin only. */
  readonly baseUrl?: string | URL | undefined
  /** Sends the requests; the runtime's own where absent. */
  readonly fetch?: typeof fetch | undefined
  /** What every call goes through, the first one outermost. */
  readonly use?: readonly Middleware[] | undefined
}

/** What one interface's client is made of, beside the caller's options. */
interface Interface {
  readonly baseUrl: string | URL
  /** The operations that change nothing. */
  readonly reads: readonly string[]
  /** Makes the interface's error from an answer that is no success. */
  readonly toError: (failure: Failure & Answered) => CallError
  /** What a request goes through last. */
  readonly last?: readonly Middleware[]
}

const contentType = 'Content-Type'

interface AnyOptions {
  readonly params?: { readonly path?: Record<string, unknown>; readonly query?: Record<string, unknown> }
  readonly body?: unknown
  readonly headers?: HeadersInit
  readonly signal?: AbortSignal
  readonly parseAs?: ParseAs | Parse
  readonly use?: readonly Middleware[]
}

/**
 * Makes the typed calls of one interface. openapi-fetch gives their types only, because every decision about a request and
 * its answer (paths, redirects, errors, exact integers) is ours.
 *
 * @throws TypeError when the base URL or the credentials cannot be used
 */
export function createCalls<Paths, ApiError extends CallError, Codes>(
  options: ClientOptions,
  { baseUrl: publicUrl, reads, toError, last = [] }: Interface,
): Calls<Paths, ApiError, Codes> {
  const credentials = credentialSource(options)
  const baseUrl = checkBaseUrl(options.baseUrl ?? publicUrl)
  const send = options.fetch ?? ((request: Request) => globalThis.fetch(request))
  const { use = [] } = options

  const bind =
    (method: string) =>
    async (path: string, init: AnyOptions = {}) => {
      // A path such as `@host` would make the base URL's host a user name.
      if (!path.startsWith('/')) throw new TypeError('A path starts with a slash')
      const { params: { path: segments = {}, query = {} } = {}, body, signal, parseAs = 'json' } = init
      const search = encodeQuery(query)
      const url = `${baseUrl}${encodePath(path, segments)}${search && `?${search}`}`
      const headers = new Headers(init.headers)
      if (body !== undefined && !headers.has(contentType)) {
        headers.set(contentType, isRaw(body) ? 'application/octet-stream' : 'application/json')
      }
      const sent = isRaw(body) ? (body as BodyInit) : JSON.stringify(body)
      const operation = `${method} ${path}`
      const first: Call = { operation, isRead: reads.includes(operation), path: segments, headers, signal, attempt: 1 }
      const request = ({ headers, signal }: Call) =>
        new Request(url, { method, body: sent ?? null, headers, redirect: 'manual', signal: signal ?? null })
      let credential: ReturnType<typeof credentials.header>
      const header = () => {
        credential = credentials.header()
        return credential
      }
      const run = compose([...use, ...(init.use ?? []), ...last], (call) =>
        exchange(call, { request, header, parseAs, send, toError }),
      )
      const outcome = await run(first)
      // Who may not (401; 403 of the logging interface, §7) has done nothing, so even a write may come again.
      const isRefused = outcome.response?.status === 401 || outcome.response?.status === 403
      return isRefused && (await credentials.renew(await credential).catch(() => false)) ? run(first) : outcome
    }
  const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] satisfies Uppercase<Method>[]
  return Object.fromEntries(methods.map((method) => [method, bind(method)])) as unknown as Calls<Paths, ApiError, Codes>
}

/** The address is not repeated in messages: it may hold a password. A trailing slash goes, since paths begin with one. */
function checkBaseUrl(baseUrl: string | URL): string {
  const href = URL.canParse(String(baseUrl)) ? new URL(baseUrl).href : ''
  if (!/^https?:\/\/[^/@?#]+\/[^?#]*$/.test(href)) {
    throw new TypeError('baseUrl must be an http or https URL without credentials, query and fragment')
  }
  return href.replace(/\/$/, '')
}

function isRaw(body: unknown): body is Blob | ArrayBuffer | ArrayBufferView {
  return body instanceof Blob || body instanceof ArrayBuffer || ArrayBuffer.isView(body)
}
