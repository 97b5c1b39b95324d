import type { ClientOptions as OpenapiOptions } from 'openapi-fetch'
import type { FetchBody } from './fetch/body.ts'
import type { Call } from './fetch/call.ts'
import { type Clock, realClock } from './fetch/clock.ts'
import { createLimiter, type Limiter, withRateLimit } from './fetch/limiter.ts'
import { type Credentials, withAuth } from './fetch/with-auth.ts'
import { isDebugging, withDebug } from './fetch/with-debug.ts'
import { type RetryOptions, withRetry } from './fetch/with-retry.ts'
import { withLimit } from './fetch/with-timeout.ts'
import { withTransportErrors } from './fetch/with-transport-errors.ts'
import { type Fetch, type FetchWrapper, wrapFetch } from './fetch/wrapper.ts'
import { facts as loggingFacts } from './gen/logging.client.ts'
import type { paths as LoggingPaths } from './gen/logging.ts'
import { facts as managementFacts } from './gen/management.client.ts'
import type { paths as ManagementPaths } from './gen/management.ts'
import type { InterfaceFacts } from './interface-facts.ts'
import type { NamedClient } from './named-client.ts'
import { createOpenapiClient, type Sender, type SendRequest } from './openapi-client.ts'
import { type CallOptions, checkOptions, clientOptions, retryOptions } from './options.ts'
import { checkBaseUrl } from './serializers.ts'

/**
 * Options of a client: at most one of `accessKey` and `bearer`, the options of a call, fetch wrappers, and the options of
 * `RequestInit` and openapi-fetch that apply to every request.
 */
export type ClientOptions = Credentials &
  CallOptions &
  Omit<OpenapiOptions, 'baseUrl' | 'fetch' | 'bodySerializer' | 'method' | 'body' | 'redirect'> & {
    /** Base URL of the interface; the public platform by default. The credential is sent only to the origin of this URL. */
    readonly baseUrl?: string | URL | undefined
    /** Sends the requests; the runtime's `fetch` by default. */
    readonly fetch?: SendRequest | undefined
    readonly bodySerializer?: ((body: unknown, headers: Headers) => FetchBody | undefined) | undefined
    /** Further wrappers for every request, the outermost first. They are outside of the client's retries and time-outs. */
    readonly wrap?: readonly FetchWrapper[] | undefined
    /**
     * Maximum length of the body of a successful response in bytes, after decoding; 24 MiB by default. A body read as a stream has no
     * limit.
     */
    readonly maxBodyBytes?: number | undefined
    /** Whether each attempt prints a line to stderr, without secrets. By default, it does if `CDN_DEBUG` is 1. */
    readonly debug?: boolean | undefined
    /** For tests: the clock of pauses, time-outs and the rate limit. */
    readonly clock?: Clock | undefined
  }

/** A client with the methods of openapi-fetch and the paths of the management interface. */
export type ManagementClient = NamedClient<ManagementPaths>

/**
 * Creates a client of the management interface (§1).
 *
 * @param options base URL (the public platform by default), at most one credential (§5), fetch wrappers, and the other options of
 *   openapi-fetch
 * @returns a client whose methods resolve to `{ data, error, response }`, for error responses too. They reject with a
 *   TransportError if no usable response arrives, with the signal's reason after an abort, and with a TypeError or RangeError for
 *   parameters that cannot be sent
 * @throws TypeError for an invalid option, such as a base URL with a password
 */
export function createManagementClient(options: ClientOptions = {}): ManagementClient {
  return createApiClient<ManagementPaths>(managementFacts, options)
}

/** A client with the methods of openapi-fetch and the paths of the logging interface. */
export type LoggingClient = NamedClient<LoggingPaths>

/** Options of a client of the logging interface. */
export type LoggingClientOptions = ClientOptions & {
  /** Share one limiter between all clients that call the same pull zones. By default, each client has its own. */
  readonly limiter?: Limiter | undefined
}

/**
 * Creates a client of the logging interface (§1). It obeys the rate limit of each pull zone (§8). `readLogs` and `readLogFile`
 * read whole ranges and files, with paging and retries. Responses of version 1 are text: set `parseAs` for them.
 *
 * @param options as for `createManagementClient`, and a limiter
 * @returns a client, as `createManagementClient` does
 * @throws TypeError for an invalid option
 */
export function createLoggingClient({ limiter, ...options }: LoggingClientOptions = {}): LoggingClient {
  // Invalid credentials give 403 here (§5).
  return createApiClient<LoggingPaths>(
    loggingFacts,
    options as ClientOptions,
    [withRateLimit(limiter ?? createLimiter(options.clock))],
    [401, 403],
  )
}

/**
 * Creates a client with the toolkit's wrappers.
 *
 * @param inner wrappers that run inside the caller's wrappers and inside `withAuth`
 * @param renewOn the statuses that mean an invalid credential
 */
function createApiClient<Paths extends object>(
  facts: InterfaceFacts,
  options: ClientOptions,
  inner: readonly FetchWrapper[] = [],
  renewOn?: readonly number[],
): NamedClient<Paths> {
  checkOptions(options, clientOptions)
  const { baseUrl: address = facts.baseUrl, fetch: clientFetch, wrap = [], accessKey, bearer, debug, ...more } = options
  const {
    retry = defaultLimits.retry,
    timeout = defaultLimits.timeout,
    idleTimeout = defaultLimits.idleTimeout,
    ...shared
  } = more
  const { Request: RequestClass, clock = defaultLimits.clock, maxBodyBytes } = shared
  if (clientFetch !== undefined && typeof clientFetch !== 'function') throw new TypeError('fetch must be a function')
  if (maxBodyBytes !== undefined && !(maxBodyBytes > 0)) throw new TypeError('maxBodyBytes must be a number above 0')
  const baseUrl = checkBaseUrl(address)
  // `ClientOptions` permits at most one of the two.
  const auth = withAuth({ ...({ accessKey, bearer } as Credentials), baseUrl, keyHeader: facts.keyHeader, renewOn })
  const innermost = [auth, ...inner, ...((debug ?? isDebugging()) ? [withDebug()] : []), withTransportErrors()]
  const fetchWith = (own: Sender) => {
    const limits = wrappersOf(own.retry ?? retry, own.timeout ?? timeout, own.idleTimeout ?? idleTimeout, clock)
    const fetch = own.fetch ?? clientFetch
    const send = fetch ? withRequests(fetch, own.Request ?? RequestClass) : currentFetch
    return wrapFetch(send, [...wrap, ...limits, ...innermost])
  }
  const usual = fetchWith({})
  const fetchFor = (own: Sender) => (Object.values(own).every((each) => each === undefined) ? usual : fetchWith(own))
  const client = createOpenapiClient<Paths>(facts, fetchFor, { ...shared, baseUrl })
  return Object.assign(client, { [limitsKey]: { retry, timeout, idleTimeout, clock } satisfies ClientLimits })
}

/** The limits of a client's calls. The readers of logs obey them, too. */
export type ClientLimits = Required<{ readonly [Name in keyof CallOptions]: NonNullable<CallOptions[Name]> }> & {
  readonly clock: Clock
}

const limitsKey = Symbol('limits')

/** Returns the limits of a client; the default limits for a client of openapi-fetch itself. */
export function limitsOf(client: object): ClientLimits {
  return (client as { [limitsKey]?: ClientLimits })[limitsKey] ?? defaultLimits
}

/** The limits of a call, unless the caller sets others. */
const defaultLimits: ClientLimits = { retry: {}, timeout: 60_000, idleTimeout: false, clock: realClock }

function wrappersOf(retry: RetryOptions | false, timeout: number | false, idleTimeout: number | false, clock: Clock) {
  if (retry !== false && typeof retry !== 'object') throw new TypeError('retry must be an object of options, or false')
  if (retry) checkOptions(retry, retryOptions)
  for (const [name, ms] of Object.entries({ timeout, idleTimeout }))
    if (ms !== false && !(Number(ms) > 0)) throw new TypeError(`${name} must be milliseconds above 0, or false`)
  const isOfAttempt = true
  const endsBefore = ({ isStream }: Call, { ok }: Response) => isStream && ok
  return [
    ...(retry ? [withRetry({ sleep: clock.sleep, ...retry })] : []),
    // `timeout` does not limit a body that the caller reads as a stream. The client itself reads the body of an error.
    ...(timeout ? [withLimit({ ms: timeout, clock, isOfAttempt, endsBefore })] : []),
    ...(idleTimeout ? [withLimit({ ms: idleTimeout, clock, isOfAttempt, isIdle: true })] : []),
  ]
}

/** Looks up the global `fetch` at each request, because test libraries replace it. `fetch` merges both parameters itself. */
const currentFetch: Fetch = (...request) => globalThis.fetch(...request)

/**
 * Calls a user's `fetch` with a Request, as openapi-fetch does. A `fetch` that does not accept this class, such as that of the package
 * undici, converts the Request to text. So this text is the URL, and the second parameter has everything else.
 */
function withRequests(fetch: SendRequest, RequestClass?: typeof Request): Fetch {
  return (input, init) => {
    const request = new (RequestClass ?? Request)(input, init)
    return fetch(Object.defineProperty(request, 'toString', { value: () => request.url }), init)
  }
}
