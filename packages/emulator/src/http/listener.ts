import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { contracts, type InterfaceName } from '@cdn/api/contract'
import { paced } from '../platform/pace.ts'
import { acceptsGzip, createFastGzip, gzipAtOnce, gzipHeaders } from './content-coding.ts'
import { type ControlledEmulator, control, controlPrefix } from './control.ts'
import { deliver } from './deliver.ts'
import { type Dispatch, UnreadableBody } from './dispatch.ts'
import { type EmulatorRequest, type EmulatorResponse, isWhole } from './messages.ts'
import type { RedirectTarget } from './redirect-target.ts'
import { BodyTooLarge, createBodyBuffer } from './request-body.ts'

interface ListenerOptions {
  readonly redirectTarget: RedirectTarget
  readonly cors: boolean
  readonly hosts: ReadonlySet<string>
}

/**
 * Creates a request listener that connects Node's HTTP server with the emulator.
 *
 * @param options `cors`: whether web pages of any origin may read the responses; `hosts`: host names of the control interface
 */
export function createListener(
  name: InterfaceName,
  controlled: ControlledEmulator,
  dispatch: Dispatch,
  { redirectTarget, cors, hosts }: ListenerOptions,
): RequestListener {
  return (request, outgoing) => {
    const call = toCall(name, request, outgoing)
    const isControl = call.path.startsWith(controlPrefix)
    if (cors && !isControl && allowOrigins(request, outgoing)) return
    const answering = isControl ? control(controlled, call, hosts) : dispatch(call)
    answering
      .then((response) =>
        response.transport
          ? deliver(
              { request, outgoing, call, response, effects: response.transport },
              controlled.clock,
              redirectTarget,
            )
          : send(request, outgoing, response),
      )
      .catch((error) => abandon(outgoing, error))
  }
}

const credentialHeaders = Object.values(contracts).flatMap(({ schemes }) => schemes.map(({ header }) => header))

/**
 * Allows web pages of any origin to read the response (Fetch standard, CORS). `*` is sufficient, because the page itself sets
 * the headers with credentials. The platform's behaviour is unspecified.
 *
 * @returns whether the request was a preflight; then the response has already been sent
 */
function allowOrigins(request: IncomingMessage, outgoing: ServerResponse): boolean {
  outgoing.setHeader('access-control-allow-origin', '*')
  outgoing.setHeader('access-control-expose-headers', 'Retry-After, Content-Disposition, Date')
  if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method']) return false
  const headers = {
    'access-control-allow-methods': 'GET, POST, PUT, DELETE',
    'access-control-allow-headers': [...new Set(credentialHeaders), 'Content-Type'].join(', '),
    'access-control-max-age': '600',
  }
  outgoing.writeHead(204, headers).end()
  return true
}

function toCall(name: InterfaceName, request: IncomingMessage, outgoing: ServerResponse): EmulatorRequest {
  const target = request.url ?? '/'
  // A proxy sends an absolute target, `GET http://host/path`. Only the path matters.
  const [path = '/', ...query] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?')
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
  const buffer = createBodyBuffer()
  try {
    for await (const part of request.iterator({ destroyOnReturn: false })) buffer.push(part)
  } catch (cause) {
    if (!(cause instanceof BodyTooLarge))
      throw new UnreadableBody('The connection ended within the request body', { cause })
    request.resume()
    throw cause
  }
  return buffer.bytes()
}

async function send(request: IncomingMessage, outgoing: ServerResponse, response: EmulatorResponse): Promise<void> {
  const { status, body } = response
  outgoing.sendDate = !('date' in response.headers)
  const isGzip = acceptsGzip(response, request.headers['accept-encoding']?.toString())
  const headers = { ...response.headers, ...(isGzip && gzipHeaders) }
  if (body === null) return void outgoing.writeHead(status, headers).end()
  const whole = isGzip ? gzipAtOnce(body) : isWhole(body) ? body : undefined
  if (whole !== undefined) {
    outgoing.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(whole)) }).end(whole)
    return
  }
  outgoing.writeHead(status, headers)
  const parts = Readable.from(isWhole(body) ? [body] : paced(body), { objectMode: false })
  await (isGzip ? pipeline(parts, createFastGzip(), outgoing) : pipeline(parts, outgoing))
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
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const isCallers = error instanceof UnreadableBody || disconnectCodes.has(String(code))
  if (!isCallers) console.error(error)
  outgoing.destroy()
}
