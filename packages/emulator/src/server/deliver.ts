import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Clock } from '../clock.ts'
import { awaitArrival, passBody, type Wire } from '../faults/wire.ts'
import { type Answer, type Call, isWhole } from '../http/call.ts'
import { acceptsGzip } from '../http/content-coding.ts'
import type { Elsewhere } from './elsewhere.ts'

/**
 * Sends an answer that has something happen to it on its way. A caller that leaves meanwhile ends all waiting.
 *
 * @throws ConnectionReset where the body is cut, for the connection to be ended
 */
export async function deliver(
  request: IncomingMessage,
  response: ServerResponse,
  call: Call,
  answer: Answer,
  wire: Wire,
  clock: Clock,
  elsewhere: Elsewhere,
): Promise<void> {
  if (wire.lost === 'silence') return
  const left = new AbortController()
  response.once('close', () => left.abort())
  try {
    await awaitArrival(wire, clock, left.signal)
    if (wire.lost === 'reset') return void request.socket.resetAndDestroy()
    const headers: Record<string, string> = { ...answer.headers }
    if (wire.redirected)
      headers['location'] = `${await elsewhere.origin()}/${call.interface}${call.path}${call.query && `?${call.query}`}`
    await sendParts(request, response, { ...answer, headers }, (parts) => passBody(parts, wire, clock, left.signal))
  } catch (error) {
    if (!left.signal.aborted) throw error
  }
}

async function sendParts(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  pass: (parts: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
): Promise<void> {
  const { status, headers, body } = answer
  response.sendDate = !('date' in headers)
  if (body === null) return void response.writeHead(status, headers).end()
  if (isWhole(body)) {
    response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) })
    return pipeline(pass(Readable.from([typeof body === 'string' ? Buffer.from(body) : body])), response)
  }
  const parts = Readable.from(body, { objectMode: false })
  if (!acceptsGzip(answer, request.headers['accept-encoding']?.toString())) {
    response.writeHead(status, headers)
    return pipeline(pass(parts), response)
  }
  response.writeHead(status, { ...headers, 'content-encoding': 'gzip', vary: 'accept-encoding' })
  return pipeline(pass(parts.pipe(createGzip())), response)
}
