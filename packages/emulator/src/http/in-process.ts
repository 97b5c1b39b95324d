import { Readable } from 'node:stream'
import type { InterfaceName } from '@cdn/api/contract'
import { awaitArrival, ConnectionReset, passBody, type TransportEffects } from '../faults/transport-effects.ts'
import type { Recorder } from '../journal/journal.ts'
import type { Clock } from '../platform/clock.ts'
import { paced } from '../platform/pace.ts'
import { acceptsGzip, gzipHeaders } from './content-coding.ts'
import { type Dispatch, UnreadableBody } from './dispatch.ts'
import { type EmulatorRequest, type EmulatorResponse, isWhole } from './messages.ts'
import { empty } from './refuse.ts'

/** The interface of each origin. */
export type Origins = Readonly<Record<string, InterfaceName>>

/** Target of the redirect fault: an origin outside the platform. */
const redirectTarget = 'https://elsewhere.invalid'

/**
 * Creates a `fetch` that passes requests to the platform without a socket. It behaves like Node's `fetch`. Bodies arrive
 * decoded. A request to an unknown address rejects with a TypeError. Redirects are followed unless the request disables that.
 * If a fault breaks the connection, the promise rejects with a TypeError, and its `cause` has Node's error code.
 *
 * @param clock the clock for late responses and slow bodies
 * @param journal records requests that follow a redirect
 */
export function createFetch(origins: Origins, dispatch: Dispatch, clock: Clock, journal: Recorder): typeof fetch {
  /**
   * Requests in progress. A Request references the signal of its caller only weakly. Without this set, the garbage collector
   * could remove a pending request, and the caller's signal would have no effect.
   */
  const pending = new Set<unknown>()

  async function respond(request: Request): Promise<Response> {
    request.signal.throwIfAborted()
    const url = new URL(request.url)
    const name = origins[url.origin]
    if (!name) throw failed(new Error(`The emulator does not serve ${url.origin}`))
    const call = toCall(name, request, url)
    const given = await dispatch(call).catch((error) => {
      throw error instanceof UnreadableBody ? failed(error.cause) : error
    })
    request.signal.throwIfAborted()
    const { transport: effects } = given
    return effects ? deliver({ request, call, response: given, effects }, clock, journal) : toResponse(request, given)
  }

  return async (input, init) => {
    const request = new Request(input, init)
    const references = [input, request]
    pending.add(references)
    try {
      return await respond(request)
    } finally {
      pending.delete(references)
    }
  }
}

function toCall(name: InterfaceName, request: Request, url: URL): EmulatorRequest {
  return {
    interface: name,
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: request.headers,
    body: () =>
      request.arrayBuffer().then(
        (bytes) => new Uint8Array(bytes),
        (cause) => {
          throw new UnreadableBody('The request body broke off', { cause })
        },
      ),
  }
}

/** A response with transport effects, and its request in two types: Node's and the emulator's. */
interface Delivery {
  readonly request: Request
  readonly call: EmulatorRequest
  readonly response: EmulatorResponse
  readonly effects: TransportEffects
}

/** Delivers a response with transport effects. */
async function deliver(delivery: Delivery, clock: Clock, journal: Recorder): Promise<Response> {
  const { request, response, effects } = delivery
  const { signal } = request
  if (effects.lost === 'silence') await aborted(signal)
  await awaitArrival(effects, clock, signal)
  if (effects.lost === 'reset') throw failed(new ConnectionReset())
  if (effects.redirected) return redirect(delivery, clock, journal)
  const parts = response.body === null ? null : toBytes(response.body)
  return toResponse(request, response, parts && toWeb(asFetched(passBody(parts, effects, clock, signal))))
}

/** Follows a redirect like Node's fetch: if the origin changes, Authorization is removed, but AccessKey is kept. */
function redirect({ request, call, response }: Delivery, clock: Clock, journal: Recorder): Response {
  const location = `${redirectTarget}/${call.interface}${new URL(request.url).pathname}${new URL(request.url).search}`
  if (request.redirect === 'error') throw failed(new Error('unexpected redirect'))
  if (request.redirect === 'manual')
    return toResponse(request, { ...response, headers: { ...response.headers, location } })
  const headers = new Headers(request.headers)
  headers.delete('authorization')
  journal.receiveRedirected(clock.now(), { ...call, headers })
  const fetched = toResponse(request, empty(404))
  Object.defineProperties(fetched, { url: { value: location }, redirected: { value: true } })
  return fetched
}

function toResponse(request: Request, response: EmulatorResponse, stream?: ReadableStream | null): Response {
  const isGzip = acceptsGzip(response, request.headers.get('accept-encoding'))
  const headers = new Headers({ ...response.headers, ...(isGzip && gzipHeaders) })
  const { body } = response
  const fetched = new Response(stream ?? (body === null || isWhole(body) ? body : toStream(body)), {
    status: response.status,
    headers,
  })
  // A constructed Response has no URL, unlike a fetched one.
  Object.defineProperty(fetched, 'url', { value: request.url, configurable: true })
  return fetched
}

function toStream(parts: Iterable<string>): ReadableStream<Uint8Array> {
  const iterator = paced(parts)
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    cancel: async () => void (await iterator.return(undefined)),
  })
}

/** Yields the bytes of a body, part by part. */
async function* toBytes(body: NonNullable<EmulatorResponse['body']>): AsyncGenerator<Uint8Array> {
  for await (const part of isWhole(body) ? [body] : paced(body))
    yield typeof part === 'string' ? Buffer.from(part) : part
}

/** Converts the error of a cut body to the error of Node's fetch. */
async function* asFetched(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* parts
  } catch (cause) {
    throw cause instanceof ConnectionReset ? new TypeError('terminated', { cause }) : cause
  }
}

function toWeb(parts: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  // A web stream has two declared types, Node's and the one of `Response`. At run time both are the same class.
  return Readable.toWeb(Readable.from(parts, { objectMode: false })) as ReadableStream<Uint8Array>
}

function failed(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause })
}

/** Never resolves; rejects with the signal's reason. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
