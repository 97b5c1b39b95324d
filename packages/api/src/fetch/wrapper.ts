import {
  type Call,
  type CallInit,
  callOf,
  endCall,
  markResponse,
  requestPath,
  startCall,
  toRecordOfHeaders,
  withCall,
} from './call.ts'

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

/** A request on its way through the wrappers: the two parameters of `fetch`, and the state of the call. */
export interface OutgoingRequest {
  readonly input: string | URL | Request
  readonly init: CallInit
  readonly call: Call
}

type Handle = (passing: OutgoingRequest, send: Fetch) => Promise<Response>

async function start(request: Request, signal: AbortSignal, handle: Handle, fetch: Fetch): Promise<Response> {
  const { method, url } = request
  const call = startCall(`${method} ${requestPath(url)}`, url)
  call.headers = toRecordOfHeaders(request.headers)
  const init = withCall({ signal, headers: call.headers }, call)
  try {
    return markResponse(call.limits.extendTo(await handle({ input: request, init, call }, fetch)), call)
  } catch (cause) {
    endCall(call)
    throw cause
  }
}

/**
 * Creates a wrapper from a function that handles a request.
 *
 * @param handle receives the request, and a function that passes it on
 */
export function createWrapper(handle: Handle): FetchWrapper {
  return (fetch) => (input, init) => {
    const call = callOf(init)
    if (call) return handle({ input, init: init as CallInit, call }, fetch)
    const request = new Request(input, init)
    // A runtime may ignore the signal of a Request that is garbage-collected, so the caller's own signal is passed on.
    return start(request, init?.signal ?? request.signal, handle, fetch)
  }
}
