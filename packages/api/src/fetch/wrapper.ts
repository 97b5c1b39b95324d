/** The signature of `fetch` in every runtime. */
export type Fetch = (...request: Parameters<typeof globalThis.fetch>) => Promise<Response>

/** Adds one behavior to the `fetch` of any client. */
export type FetchWrapper = (fetch: Fetch) => Fetch

/** Passes a request on. Without `signal`, the request keeps its current signal. */
export type SendRequest = (request: Request, signal?: AbortSignal) => Promise<Response>

/**
 * Applies wrappers to a `fetch`.
 *
 * @param wrappers the first one is the outermost: it sees a request first and its response last
 */
export function wrapFetch(fetch: Fetch, wrappers: readonly FetchWrapper[]): Fetch {
  return wrappers.reduceRight((inner, wrapper) => wrapper(inner), fetch)
}

/**
 * Creates a wrapper from a function that handles a request. The signal is passed separately, because a copy of the request with
 * another signal would cost as much as the rest of a call.
 *
 * @param handle receives the request, the current signal, and a function that passes a request on
 */
export function createWrapper(
  handle: (request: Request, signal: AbortSignal, send: SendRequest) => Promise<Response>,
): FetchWrapper {
  return (fetch) => (input, init) => {
    const isRequest = typeof input === 'object' && 'headers' in input
    const request = isRequest ? input : new Request(input, init)
    const rest = isRequest ? init : undefined
    const send: SendRequest = (request, signal) => fetch(request, signal ? { ...rest, signal } : rest)
    return handle(request, rest?.signal ?? request.signal, send)
  }
}
