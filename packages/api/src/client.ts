import createOpenapiClient, { type Client, type ClientOptions as OpenapiOptions } from 'openapi-fetch'
import type { Credentials } from './fetch/credentials.ts'
import { withAuth } from './fetch/with-auth.ts'
import { withTransportErrors } from './fetch/with-transport-errors.ts'
import { type Fetch, type FetchWrapper, wrapFetch } from './fetch/wrapper.ts'
import type { InterfaceFacts } from './interface-facts.ts'
import { parseResponses, prepareCalls } from './parse-response.ts'
import { bodySerializer, pathSerializer, querySerializer } from './serializers.ts'

/** Options of a client: the options of openapi-fetch, at most one of `accessKey` and `bearer`, and fetch wrappers. */
export type ClientOptions = Credentials &
  Omit<OpenapiOptions, 'baseUrl' | 'fetch' | 'redirect'> & {
    /** Base URL of the interface; the public platform by default. The credential is sent to this origin only. */
    readonly baseUrl?: string | URL | undefined
    /** Sends the requests; the runtime's `fetch` by default. */
    readonly fetch?: Fetch | undefined
    /** Wrappers for every request, the outermost first: `withRetry()`, `withTimeout(10_000)`, ... */
    readonly wrap?: readonly FetchWrapper[] | undefined
    /** Maximum length of a response body in bytes, after decoding; 24 MiB by default. A body read as a stream has no limit. */
    readonly maxBodyBytes?: number | undefined
  }

interface Additions {
  /** Wrappers that run inside the caller's wrappers and inside `withAuth`. */
  readonly wrap?: readonly FetchWrapper[]
  /** The statuses that mean an invalid credential. */
  readonly renewOn?: readonly number[]
}

/**
 * Creates the client of an interface: an openapi-fetch client with the toolkit's configuration.
 *
 * @throws TypeError for an invalid base URL or credential
 */
export function createApiClient<Paths extends object>(
  facts: InterfaceFacts,
  {
    baseUrl = facts.baseUrl,
    fetch = currentFetch,
    wrap = [],
    maxBodyBytes,
    accessKey,
    bearer,
    ...options
  }: ClientOptions,
  { wrap: inner = [], renewOn }: Additions = {},
): Client<Paths> {
  const url = checkBaseUrl(baseUrl)
  // `ClientOptions` permits at most one of the two.
  const credentials = { accessKey, bearer } as Credentials
  const auth = withAuth({ ...credentials, baseUrl: url, keyHeader: facts.keyHeader, renewOn })
  const client = createOpenapiClient<Paths>({
    pathSerializer,
    // openapi-fetch passes an object of values by name, but declares it as unknown.
    querySerializer: querySerializer as NonNullable<OpenapiOptions['querySerializer']>,
    bodySerializer,
    ...options,
    baseUrl: url,
    fetch: wrapFetch(fetch, [...wrap, auth, ...inner, withTransportErrors()]),
    redirect: 'manual',
  })
  client.use(prepareCalls(facts))
  return parseResponses(client, facts, maxBodyBytes)
}

/** Looks up the global `fetch` at each request, because test libraries replace it. */
const currentFetch: Fetch = (...request) => globalThis.fetch(...request)

/** Checks a base URL. The error message does not repeat the URL, because the URL may contain a password. */
function checkBaseUrl(baseUrl: string | URL): string {
  const href = URL.canParse(String(baseUrl)) ? new URL(baseUrl).href : ''
  if (/^https?:\/\/[^/@?#]+\/[^?#]*$/.test(href)) return href
  throw new TypeError('baseUrl must be an http or https URL without credentials, query and fragment')
}
