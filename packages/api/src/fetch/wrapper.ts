import { type Call, type CallInit, callOf, markResponse, requestPath, startCall, withCall } from './call.ts'
import { limitResponse } from './time-limit.ts'

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

/** A request on its way through the wrappers. `init` overrides parts of `request`, as for `fetch`. */
export interface Passing {
  readonly request: Request
  readonly init: CallInit
  readonly call: Call
}

type Handle = (passing: Passing, send: (request: Request, init: CallInit) => Promise<Response>) => Promise<Response>

async function start(request: Request, handle: Handle, fetch: Fetch): Promise<Response> {
  const { signal } = request
  const call = Object.assign(startCall(`${request.method} ${requestPath(request.url)}`), { request, signal })
  const response = await handle({ request, init: withCall(undefined, call), call }, fetch)
  return markResponse(limitResponse(response, call), call)
}

/**
 * Creates a wrapper from a function that handles a request.
 *
 * @param handle receives the request, and a function that passes it on
 */
export function createWrapper(handle: Handle): FetchWrapper {
  return (fetch) => (input, init) => {
    const isRequest = typeof input === 'object' && 'headers' in input
    const known = callOf(init)
    if (known && isRequest) return handle({ request: input, init: init as CallInit, call: known }, fetch)
    return start(new Request(input, init), handle, fetch)
  }
}
