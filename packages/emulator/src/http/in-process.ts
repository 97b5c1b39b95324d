import type { InterfaceName } from '@cdn/api/contract'
import { type EmulatorRequest, type EmulatorResponse, headersOf, isWhole, toBytes } from '../exchange/messages.ts'
import { empty } from '../exchange/refuse.ts'
import { ConnectionReset, passBody } from '../faults/transport-effects.ts'
import type { Recorder } from '../journal/journal.ts'
import type { EmulatorClock } from '../platform/clock.ts'
import { type Dispatch, UnreadableBody } from './dispatch.ts'

/** Target of the redirect fault: an origin outside the platform. */
const redirectTarget = 'https://elsewhere.invalid'

/**
 * Creates a `fetch` that passes requests to the platform without a socket. It behaves like Node's `fetch`. Bodies arrive
 * decoded. A request to an unknown address rejects with a TypeError. A redirect is followed, and gets a 404, unless the option
 * `redirect` of the request forbids that. If a fault resets the connection, the promise rejects with a TypeError, and its `cause` has
 * Node's error code.
 *
 * @param origins the interface of each origin
 * @param clock the clock for late responses and slow bodies
 * @param journal records requests that follow a redirect
 */
export function createFetch(
  origins: Readonly<Record<string, InterfaceName>>,
  dispatch: Dispatch,
  clock: EmulatorClock,
  journal: Recorder,
): typeof fetch {
  /**
   * Requests in progress. A Request references the signal of its caller only weakly. Without this set, the garbage collector
   * could remove a pending request, and the caller's signal would have no effect.
   */
  const pending = new Set<unknown>()

  async function respond(request: Request): Promise<Response> {
    const { signal, redirect } = request
    signal.throwIfAborted()
    const url = new URL(request.url)
    const name = origins[url.origin]
    if (!name) throw failed(new Error(`The emulator does not serve ${url.origin}`))
    const call = toCall(name, request, url)
    const response = await dispatch(call).catch((error) => {
      throw error instanceof UnreadableBody ? failed(error.cause) : error
    })
    signal.throwIfAborted()
    const { transport: effects } = response
    if (!effects) return toResponse(request, response)
    if (effects.lost === 'silence') await clock.waitForAbort(signal)
    if (effects.delayMs && effects.dueAt) await clock.waitUntil(effects.dueAt, signal)
    if (effects.lost === 'reset') throw failed(new ConnectionReset())
    const location = effects.redirectTo && `${redirectTarget}${effects.redirectTo}`
    if (location && redirect === 'follow') {
      // Like Node's fetch: if the origin changes, Authorization is removed, but AccessKey is kept.
      const headers = new Headers(request.headers)
      headers.delete('authorization')
      journal.receiveRedirected(clock.now(), { ...call, headers })
      return Object.defineProperty(toResponse(request, empty(404), location), 'redirected', { value: true })
    }
    if (location && redirect === 'error') throw failed(new Error('unexpected redirect'))
    const arrived = location ? { ...response, headers: { ...response.headers, location } } : response
    const pass = (parts: AsyncIterable<Uint8Array>) => passBody(parts, effects, clock, signal)
    return toResponse(request, arrived, request.url, pass)
  }

  return async (input, init) => {
    const request = new Request(input, init)
    const references = [input, init, request]
    pending.add(references)
    try {
      return await respond(request)
    } finally {
      pending.delete(references)
    }
  }
}

function toCall(name: InterfaceName, request: Request, url: URL): EmulatorRequest {
  const body = async () => {
    try {
      return new Uint8Array(await request.arrayBuffer())
    } catch (cause) {
      throw new UnreadableBody('The request body broke off', { cause })
    }
  }
  const { method, headers } = request
  return { interface: name, method, path: url.pathname, query: url.search.slice(1), headers, body }
}

/** Converts a response, and sets its `url`, which a constructed Response lacks. */
function toResponse(
  request: Request,
  response: EmulatorResponse,
  url: string = request.url,
  pass?: (parts: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array>,
): Response {
  const { status, body } = response
  const headers = headersOf(response, request.headers.get('accept-encoding'))
  const isStream = body !== null && (pass || !isWhole(body))
  const content = isStream ? toStream(pass ? pass(toBytes(body)) : toBytes(body)) : body
  return Object.defineProperty(new Response(content, { status, headers }), 'url', { value: url, configurable: true })
}

function toStream(parts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next().catch((cause) => {
        throw cause instanceof ConnectionReset ? new TypeError('terminated', { cause }) : cause
      })
      if (done) controller.close()
      else controller.enqueue(value)
    },
    // A part that is not due yet delays the end of the generator, but not the caller.
    cancel: () => void parts.return(undefined).catch(() => {}),
  })
}

function failed(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause })
}
