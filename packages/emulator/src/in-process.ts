import { Readable } from 'node:stream'
import type { InterfaceName } from '@cdn/api/contract'
import type { Clock } from './clock.ts'
import { awaitArrival, ConnectionReset, passBody, type Wire } from './faults/wire.ts'
import { type Answer, type Call, isWhole } from './http/call.ts'
import { acceptsGzip } from './http/content-coding.ts'
import { type Dispatch, UnreadableBody } from './http/dispatch.ts'
import { refusePath } from './http/refuse.ts'
import type { Recorder } from './journal/journal.ts'

/** Which interface an origin stands for. */
export type Origins = Readonly<Record<string, InterfaceName>>

/** Where the redirect fault leads to: an origin that is none of the platform's. */
const elsewhere = 'https://elsewhere.invalid'

/**
 * A `fetch` that hands requests to the platform without a socket. As from a real one, an encoded body arrives decoded, an
 * address that nobody serves is a TypeError, a redirect is followed unless the request says otherwise, and a connection
 * that a fault breaks is a TypeError whose cause has Node's code.
 *
 * @param clock time that late answers and slow bodies take
 * @param journal where requests that follow a redirect are entered
 */
export function createFetch(origins: Origins, dispatch: Dispatch, clock: Clock, journal: Recorder): typeof fetch {
  /**
   * What is waited for. A Request follows the signal that it was made with by weak references alone: one that nobody holds would be
   * collected with all who wait for its answer, and its caller's signal would end nothing.
   */
  const waiting = new Set<unknown>()

  async function answer(request: Request): Promise<Response> {
    request.signal.throwIfAborted()
    const url = new URL(request.url)
    const name = origins[url.origin]
    if (!name) throw failed(new Error(`The emulator does not serve ${url.origin}`))
    const call = toCall(name, request, url)
    const given = await dispatch(call).catch((error) => {
      throw error instanceof UnreadableBody ? failed(error.cause) : error
    })
    request.signal.throwIfAborted()
    return given.wire ? deliver(request, call, given, given.wire, clock, journal) : toResponse(request, given)
  }

  return async (input, init) => {
    const request = new Request(input, init)
    const held = [input, request]
    waiting.add(held)
    try {
      return await answer(request)
    } finally {
      waiting.delete(held)
    }
  }
}

function toCall(name: InterfaceName, request: Request, url: URL): Call {
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

/** An answer that has something happen to it on its way. */
async function deliver(
  request: Request,
  call: Call,
  answer: Answer,
  wire: Wire,
  clock: Clock,
  journal: Recorder,
): Promise<Response> {
  const { signal } = request
  if (wire.lost === 'silence') await aborted(signal)
  await awaitArrival(wire, clock, signal)
  if (wire.lost === 'reset') throw failed(new ConnectionReset())
  if (wire.redirected) return redirect(request, call, answer, clock, journal)
  const parts = answer.body === null ? null : toBytes(answer.body)
  return toResponse(request, answer, parts && toWeb(asFetched(passBody(parts, wire, clock, signal))))
}

/** As Node's fetch follows a redirect: Authorization is left behind at a border between origins, an AccessKey is not. */
function redirect(request: Request, call: Call, answer: Answer, clock: Clock, journal: Recorder): Response {
  const location = `${elsewhere}/${call.interface}${new URL(request.url).pathname}${new URL(request.url).search}`
  if (request.redirect === 'error') throw failed(new Error('unexpected redirect'))
  if (request.redirect === 'manual') return toResponse(request, { ...answer, headers: { ...answer.headers, location } })
  const headers = new Headers(request.headers)
  headers.delete('authorization')
  journal.receiveElsewhere(clock.now(), { ...call, headers })
  const response = toResponse(request, refusePath(404, 'This is another origin.'))
  Object.defineProperties(response, { url: { value: location }, redirected: { value: true } })
  return response
}

function toResponse(request: Request, answer: Answer, stream?: ReadableStream | null): Response {
  const headers = new Headers(answer.headers)
  if (acceptsGzip(answer, request.headers.get('accept-encoding'))) headers.set('content-encoding', 'gzip')
  const { body } = answer
  const response = new Response(stream ?? (body === null || isWhole(body) ? body : toStream(body)), {
    status: answer.status,
    headers,
  })
  // A Response that was constructed has no address; one that was fetched does.
  Object.defineProperty(response, 'url', { value: request.url, configurable: true })
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

/** The bytes of a body, in its parts. */
function* toBytes(body: NonNullable<Answer['body']>): Generator<Uint8Array> {
  if (body instanceof Uint8Array) return yield body
  const encoder = new TextEncoder()
  for (const part of typeof body === 'string' ? [body] : body) yield encoder.encode(part)
}

/** A body that breaks off does so with the error of Node's fetch. */
async function* asFetched(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* parts
  } catch (cause) {
    throw cause instanceof ConnectionReset ? new TypeError('terminated', { cause }) : cause
  }
}

function toWeb(parts: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
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
