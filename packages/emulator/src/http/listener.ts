import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import type { InterfaceName } from '@cdn/api/contract'
import { codeOf } from '@cdn/kit/system-error'
import { type EmulatorRequest, type EmulatorResponse, headersOf, isWhole, toBytes } from '../exchange/messages.ts'
import { passBody } from '../faults/transport-effects.ts'
import { type ControlledEmulator, control, isControlPath } from './control.ts'
import { type Dispatch, UnreadableBody } from './dispatch.ts'
import { BodyTooLarge, maxBody } from './request-body.ts'

interface ListenerOptions {
  /** Whether web pages of any origin may read the responses. */
  readonly cors: boolean
  /** Host names of the control interface, in lower case. */
  readonly hosts: ReadonlySet<string>
  /** Returns the origin to which the redirect fault leads. */
  redirectOrigin(): Promise<string>
}

/** Creates a request listener that connects Node's HTTP server with the emulator. */
export function createListener(
  name: InterfaceName,
  controlled: ControlledEmulator,
  dispatch: Dispatch,
  { cors, hosts, redirectOrigin }: ListenerOptions,
): RequestListener {
  const serve = async (request: IncomingMessage, outgoing: ServerResponse) => {
    const call = toCall(name, request, outgoing)
    const isControl = isControlPath(call.path)
    if (cors && !isControl && allowOrigins(request, outgoing)) return
    const response = await (isControl ? control(controlled, call, hosts) : dispatch(call))
    const { transport: effects } = response
    if (!effects) return await send(call, outgoing, response, (parts) => parts)
    if (effects.lost === 'silence') return
    const disconnected = new AbortController()
    outgoing.once('close', () => disconnected.abort())
    try {
      if (effects.delayMs && effects.dueAt) await controlled.clock.waitUntil(effects.dueAt, disconnected.signal)
      if (effects.lost === 'reset') return void request.socket.resetAndDestroy()
      if (effects.redirectTo) outgoing.setHeader('location', `${await redirectOrigin()}${effects.redirectTo}`)
      await send(call, outgoing, response, (parts) => passBody(parts, effects, controlled.clock, disconnected.signal))
    } catch (error) {
      if (!disconnected.signal.aborted) throw error
    }
  }
  return (request, outgoing) => void serve(request, outgoing).catch((error) => abandon(outgoing, error))
}

/**
 * Allows web pages of any origin to read the response and to send any method and header (Fetch standard, CORS). `*` is sufficient, because
 * the page itself sets the headers with credentials. The platform's behaviour is unspecified.
 *
 * @returns whether the request was a preflight; then the response has already been sent
 */
function allowOrigins(request: IncomingMessage, outgoing: ServerResponse): boolean {
  outgoing.setHeader('access-control-allow-origin', '*')
  outgoing.setHeader('access-control-expose-headers', 'Retry-After, Content-Disposition, Date')
  const { 'access-control-request-method': method, 'access-control-request-headers': names = '' } = request.headers
  if (request.method !== 'OPTIONS' || !method) return false
  const headers = {
    'access-control-allow-methods': method,
    'access-control-allow-headers': names,
    'access-control-max-age': '600',
  }
  outgoing.writeHead(204, headers).end()
  return true
}

/** Converts a request of Node's HTTP server. The body is read only on demand. */
export function toCall(name: InterfaceName, request: IncomingMessage, outgoing: ServerResponse): EmulatorRequest {
  // A proxy sends an absolute target, `GET http://host/path`. Only the path matters.
  const [path = '/', ...query] = (request.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '').split('?')
  return {
    interface: name,
    method: request.method ?? 'GET',
    path,
    query: query.join('?'),
    headers: { get: (header) => request.headers[header.toLowerCase()]?.toString() ?? null },
    body: () => {
      if (/^100-continue$/i.test(request.headers.expect ?? '')) outgoing.writeContinue()
      return readAll(request)
    },
  }
}

/** Reads a body to its end. The rest of a too large body is discarded, so that the caller gets a response instead of a reset. */
async function readAll(request: IncomingMessage): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      length += part.length
      if (length > maxBody) throw new BodyTooLarge()
      parts.push(part)
    }
  } catch (cause) {
    if (!(cause instanceof BodyTooLarge))
      throw new UnreadableBody('The connection ended within the request body', { cause })
    request.resume()
    throw cause
  }
  return Buffer.concat(parts)
}

/** Sends a response. Compression prefers speed over size. @param pass applies transport effects to the bytes of the body */
async function send(
  { headers: requested }: EmulatorRequest,
  outgoing: ServerResponse,
  response: EmulatorResponse,
  pass: (parts: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
): Promise<void> {
  const { status, body, transport } = response
  const headers = headersOf(response, requested.get('accept-encoding'))
  // `headersOf` returns other headers only if it chose gzip. A fault may state a coding for a body that is encoded already.
  const isGzip = headers !== response.headers
  outgoing.sendDate = !('date' in headers)
  const length = isWhole(body) && !isGzip && { 'content-length': String(Buffer.byteLength(body)) }
  outgoing.writeHead(status, { ...headers, ...length })
  if (body === null || (length && !transport)) return void outgoing.end(body)
  const parts = Readable.from(toBytes(body), { objectMode: false })
  const gzip = () => createGzip({ level: constants.Z_BEST_SPEED })
  await (isGzip ? pipeline(parts, gzip(), pass, outgoing) : pipeline(parts, pass, outgoing))
}

/** Node's error codes for a connection that the caller closed. */
const disconnectCodes: ReadonlySet<string> = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_UNABLE_TO_PIPE',
  'ECONNRESET',
  'EPIPE',
])

/** Closes a connection without a complete response. Errors are logged, unless the caller disconnected. */
function abandon(outgoing: ServerResponse, error: unknown): void {
  const isCallers = error instanceof UnreadableBody || disconnectCodes.has(codeOf(error) ?? '')
  if (!isCallers) console.error(error)
  outgoing.destroy()
}
