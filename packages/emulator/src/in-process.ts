import type { InterfaceName } from '@cdn/api/contract'
import type { Answer, Call } from './http/call.ts'
import { acceptsGzip } from './http/content-coding.ts'
import type { Dispatch } from './http/dispatch.ts'

/** Which interface an origin stands for. */
export type Origins = Readonly<Record<string, InterfaceName>>

/**
 * A `fetch` that hands requests to the platform without a socket. As from a real one, an encoded body arrives decoded,
 * and an address that nobody serves is a TypeError.
 */
export function createFetch(origins: Origins, dispatch: Dispatch): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    request.signal.throwIfAborted()
    const url = new URL(request.url)
    const name = origins[url.origin]
    if (!name) throw new TypeError('fetch failed', { cause: new Error(`The emulator does not serve ${url.origin}`) })
    const call: Call = {
      interface: name,
      method: request.method,
      path: url.pathname,
      query: url.search.slice(1),
      headers: request.headers,
      body: async () => new Uint8Array(await request.arrayBuffer()),
    }
    const answer = await dispatch(call)
    request.signal.throwIfAborted()
    return toResponse(request, answer)
  }
}

function toResponse(request: Request, answer: Answer): Response {
  const headers = new Headers(answer.headers)
  if (acceptsGzip(answer, request.headers.get('accept-encoding'))) headers.set('content-encoding', 'gzip')
  const { body } = answer
  const response = new Response(body === null || typeof body === 'string' ? body : toStream(body), {
    status: answer.status,
    headers,
  })
  // A Response that was constructed has no address; one that was fetched does.
  Object.defineProperty(response, 'url', { value: request.url })
  return response
}

function toStream(parts: Iterable<string>): ReadableStream<Uint8Array> {
  const iterator = parts[Symbol.iterator]()
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = iterator.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: () => void iterator.return?.(),
  })
}
