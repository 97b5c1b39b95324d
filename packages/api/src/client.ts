import createOpenapiClient, { type Client, type ClientOptions as OpenapiOptions } from 'openapi-fetch'
import { addCalls, type CallOptions, defaultHeaders, toObject } from './calls.ts'
import { createLimiter, type Limiter, withRateLimit } from './fetch/limiter.ts'
import { type Credentials, withAuth } from './fetch/with-auth.ts'
import { isDebugging, withDebug } from './fetch/with-debug.ts'
import { withRetry } from './fetch/with-retry.ts'
import { withClientTimeout } from './fetch/with-timeout.ts'
import { sendThrough, withTransportErrors } from './fetch/with-transport-errors.ts'
import { type Fetch, type FetchWrapper, wrapFetch } from './fetch/wrapper.ts'
import { facts as loggingFacts } from './gen/logging.client.ts'
import type { paths as LoggingPaths } from './gen/logging.ts'
import { facts as managementFacts } from './gen/management.client.ts'
import type { paths as ManagementPaths } from './gen/management.ts'
import type { InterfaceFacts } from './interface-facts.ts'
import { bodySerializer, pathSerializer, querySerializer } from './serializers.ts'

/** Options of a client: the options of openapi-fetch, at most one of `accessKey` and `bearer`, and fetch wrappers. */
export type ClientOptions = Credentials &
  CallOptions &
  Omit<OpenapiOptions, 'baseUrl' | 'fetch' | 'redirect'> & {
    /** Base URL of the interface; the public platform by default. The credential is sent to this origin only. */
    readonly baseUrl?: string | URL | undefined
    /** Sends the requests; the runtime's `fetch` by default. */
    readonly fetch?: Fetch | undefined
    /** Further wrappers for every request, the outermost first. They are outside of the client's retries and time-outs. */
    readonly wrap?: readonly FetchWrapper[] | undefined
    /** Maximum length of a response body in bytes, after decoding; 24 MiB by default. A body read as a stream has no limit. */
    readonly maxBodyBytes?: number | undefined
    /** Whether each attempt prints a line to stderr, without secrets; by default if `CDN_DEBUG` is 1. */
    readonly debug?: boolean | undefined
  }

/** openapi-fetch's client, with the paths of the management interface. */
export type ManagementClient = Client<ManagementPaths>

/**
 * Creates a client of the management interface (§1).
 *
 * @param options base URL (the public platform by default), at most one credential (§5), fetch wrappers, and the options of
 *   openapi-fetch
 * @returns openapi-fetch's client. Its methods resolve to `{ data, error, response }` for any response. They reject with a
 *   TransportError if no usable response arrives, with the signal's reason after an abort, and with a TypeError or RangeError for
 *   parameters that cannot be sent
 * @throws TypeError for an invalid base URL or credential
 */
export function createManagementClient(options: ClientOptions = {}): ManagementClient {
  return createApiClient<ManagementPaths>(managementFacts, options)
}

/** openapi-fetch's client, with the paths of the logging interface. */
export type LoggingClient = Client<LoggingPaths>

/** Options of a client of the logging interface. */
export type LoggingClientOptions = ClientOptions & {
  /** Share one limiter between all clients that call the same pull zones. By default, each client has its own. */
  readonly limiter?: Limiter | undefined
}

/**
 * Creates a client of the logging interface (§1). It obeys the rate limit of each pull zone (§8). `readLogs` and `readLogFile`
 * read whole ranges and files, with paging and retries. Version 1 is text: request it with `parseAs`.
 *
 * @param options as for `createManagementClient`, and a limiter
 * @returns openapi-fetch's client
 * @throws TypeError for an invalid base URL or credential
 */
export function createLoggingClient({
  limiter = createLimiter(),
  ...options
}: LoggingClientOptions = {}): LoggingClient {
  // Invalid credentials give 403 here (§5).
  return createApiClient<LoggingPaths>(loggingFacts, options as ClientOptions, [withRateLimit(limiter)], [401, 403])
}

/**
 * An openapi-fetch client with the toolkit's configuration.
 *
 * @param inner wrappers that run inside the caller's wrappers and inside `withAuth`
 * @param renewOn the statuses that mean an invalid credential
 */
function createApiClient<Paths extends object>(
  facts: InterfaceFacts,
  options: ClientOptions,
  inner: readonly FetchWrapper[] = [],
  renewOn?: readonly number[],
): Client<Paths> {
  const { baseUrl = facts.baseUrl, fetch, wrap = [], maxBodyBytes: _, headers, accessKey, bearer, ...more } = options
  const { retry = {}, timeout = defaultTimeoutMs, debug = isDebugging(), ...rest } = more
  const url = checkBaseUrl(baseUrl)
  // `ClientOptions` permits at most one of the two.
  const credentials = { accessKey, bearer } as Credentials
  const auth = withAuth({ ...credentials, baseUrl: url, keyHeader: facts.keyHeader, renewOn })
  const innermost = [auth, ...inner, ...(debug ? [withDebug()] : []), withTransportErrors()]
  const wrappedFor = (options: CallOptions) =>
    wrapFetch(fetch ? sendThrough(fetch) : currentFetch, [...wrap, ...limitsOf(options), ...innermost])
  const defaults = { retry, timeout }
  const wrapped = wrappedFor(defaults)
  const fetchFor = (own: CallOptions) =>
    own.retry === undefined && own.timeout === undefined
      ? wrapped
      : wrappedFor({ retry: own.retry ?? retry, timeout: own.timeout ?? timeout })
  const client = createOpenapiClient<Paths>({
    pathSerializer,
    // openapi-fetch passes an object of values by name, but declares it as unknown.
    querySerializer: querySerializer as NonNullable<OpenapiOptions['querySerializer']>,
    bodySerializer,
    ...rest,
    baseUrl: url,
    headers: { ...defaultHeaders, ...toObject(headers) } as HeadersInit,
    redirect: 'manual',
  })
  return addCalls(client, facts, fetchFor, options)
}

/** Maximum time of an attempt in milliseconds, by default. Other clients of web services have such a limit, too. */
const defaultTimeoutMs = 60_000

function limitsOf({ retry, timeout }: CallOptions): FetchWrapper[] {
  if (retry !== false && typeof retry !== 'object') throw new TypeError('retry must be an object of options, or false')
  if (timeout !== false && !(Number(timeout) > 0))
    throw new TypeError('timeout must be a number of milliseconds above 0, or false')
  return [...(retry ? [withRetry(retry)] : []), ...(timeout ? [withClientTimeout(timeout)] : [])]
}

/** Looks up the global `fetch` at each request, because test libraries replace it. */
const currentFetch: Fetch = (...request) => globalThis.fetch(...request)

/** Checks a base URL. The error message does not repeat the URL, because the URL may contain a password. */
function checkBaseUrl(baseUrl: string | URL): string {
  const href = URL.canParse(String(baseUrl)) ? new URL(baseUrl).href : ''
  if (/^https?:\/\/[^/@?#]+\/[^?#]*$/.test(href)) return href
  throw new TypeError('baseUrl must be an http or https URL without credentials, query and fragment')
}
