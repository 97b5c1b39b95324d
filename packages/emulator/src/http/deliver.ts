import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { awaitArrival, passBody, type TransportEffects } from '../faults/transport-effects.ts'
import type { Clock } from '../platform/clock.ts'
import { paced } from '../platform/pace.ts'
import { acceptsGzip, createFastGzip, gzipHeaders } from './content-coding.ts'
import { type EmulatorRequest, type EmulatorResponse, isWhole } from './messages.ts'
import type { RedirectTarget } from './redirect-target.ts'

/** A response with transport effects, and its request in two types: Node's and the emulator's. */
interface Delivery {
  readonly request: IncomingMessage
  readonly outgoing: ServerResponse
  readonly call: EmulatorRequest
  readonly response: EmulatorResponse
  readonly effects: TransportEffects
}

/**
 * Sends a response with transport effects. If the caller disconnects, `deliver` stops waiting.
 *
 * @throws ConnectionReset where the body is cut, so that the connection is closed
 */
export async function deliver(
  { request, outgoing, call, response, effects }: Delivery,
  clock: Clock,
  redirectTarget: RedirectTarget,
): Promise<void> {
  if (effects.lost === 'silence') return
  const disconnected = new AbortController()
  outgoing.once('close', () => disconnected.abort())
  try {
    await awaitArrival(effects, clock, disconnected.signal)
    if (effects.lost === 'reset') return void request.socket.resetAndDestroy()
    const headers: Record<string, string> = { ...response.headers }
    if (effects.redirected)
      headers['location'] =
        `${await redirectTarget.origin()}/${call.interface}${call.path}${call.query && `?${call.query}`}`
    await sendParts(request, outgoing, { ...response, headers }, (parts) =>
      passBody(parts, effects, clock, disconnected.signal),
    )
  } catch (error) {
    if (!disconnected.signal.aborted) throw error
  }
}

async function sendParts(
  request: IncomingMessage,
  outgoing: ServerResponse,
  response: EmulatorResponse,
  pass: (parts: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
): Promise<void> {
  const { status, headers, body } = response
  outgoing.sendDate = !('date' in headers)
  if (body === null) return void outgoing.writeHead(status, headers).end()
  const parts = Readable.from(isWhole(body) ? [typeof body === 'string' ? Buffer.from(body) : body] : paced(body), {
    objectMode: false,
  })
  if (acceptsGzip(response, request.headers['accept-encoding']?.toString())) {
    outgoing.writeHead(status, { ...headers, ...gzipHeaders })
    return pipeline(pass(parts.pipe(createFastGzip())), outgoing)
  }
  outgoing.writeHead(
    status,
    isWhole(body) ? { ...headers, 'content-length': String(Buffer.byteLength(body)) } : headers,
  )
  return pipeline(pass(parts), outgoing)
}
