import { copyRequest } from './request-facts.ts'

/** The signature of `fetch` in every runtime. */
export type Fetch = (...request: Parameters<typeof globalThis.fetch>) => Promise<Response>

/** Adds one behavior to the `fetch` of any client. */
export type FetchWrapper = (fetch: Fetch) => Fetch

/**
 * Applies wrappers to a `fetch`.
 *
 * @param wrappers the first one is the outermost: it sees a request first and its response last
 */
export function wrapFetch(fetch: Fetch, wrappers: readonly FetchWrapper[]): Fetch {
  return wrappers.reduceRight((inner, wrapper) => wrapper(inner), fetch)
}

/**
 * Creates a wrapper from a function that handles a request.
 *
 * @param handle receives the request, and a function that passes a request on
 */
export function createWrapper(
  handle: (request: Request, send: (request: Request) => Promise<Response>) => Promise<Response>,
): FetchWrapper {
  return (fetch) => (input, init) => {
    const isRequest = typeof input === 'object' && 'headers' in input
    if (!isRequest) return handle(new Request(input, init), fetch)
    return handle(init ? copyRequest(input, init) : input, fetch)
  }
}
