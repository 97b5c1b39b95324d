import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { InterfaceName } from '@cdn/api/contract'
import { type Answer, type Call, isWhole } from '../http/call.ts'
import { acceptsGzip } from '../http/content-coding.ts'
import { type Dispatch, UnreadableBody } from '../http/dispatch.ts'
import { type Controlled, control, controlPrefix } from './control.ts'
import { deliver } from './deliver.ts'
import type { Elsewhere } from './elsewhere.ts'

/** Longest request body that is read; more than any watermark's limit, so that 413 is the platform's answer. */
const longestBody = 32 * 1024 * 1024

/** Turns sockets' requests into calls, and answers into what goes over the wire. */
export function createListener(
  name: InterfaceName,
  controlled: Controlled,
  dispatch: Dispatch,
  elsewhere: Elsewhere,
): RequestListener {
  return (request, response) => {
    const call = toCall(name, request)
    const answering = call.path.startsWith(controlPrefix) ? control(controlled, call) : dispatch(call)
    answering
      .then((answer) =>
        answer.wire
          ? deliver(request, response, call, answer, answer.wire, controlled.clock, elsewhere)
          : send(request, response, answer),
      )
      .catch((error) => abandon(response, error))
  }
}

function toCall(name: InterfaceName, request: IncomingMessage): Call {
  const target = request.url ?? '/'
  // A proxy's form of the target, `GET http://host/path`, means the path alone.
  const [path = '/', ...query] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?')
  return {
    interface: name,
    method: request.method ?? 'GET',
    path,
    query: query.join('?'),
    headers: { get: (header) => request.headers[header.toLowerCase()]?.toString() ?? null },
    body: () => readAll(request),
  }
}

async function readAll(request: IncomingMessage): Promise<Uint8Array> {
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      length += part.length
      if (length > longestBody) break
      parts.push(part)
    }
  } catch (cause) {
    throw new UnreadableBody('The connection ended within the request body', { cause })
  }
  if (length > longestBody) throw new UnreadableBody('The request body is longer than any operation takes')
  return Buffer.concat(parts)
}

async function send(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const { body } = answer
  response.sendDate = !('date' in answer.headers)
  if (body === null || isWhole(body)) {
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    response.writeHead(answer.status, { ...answer.headers, ...length })
    response.end(body ?? undefined)
    return
  }
  const parts = Readable.from(body, { objectMode: false })
  if (acceptsGzip(answer, request.headers['accept-encoding']?.toString())) {
    response.writeHead(answer.status, { ...answer.headers, 'content-encoding': 'gzip', vary: 'accept-encoding' })
    await pipeline(parts, createGzip(), response)
  } else {
    response.writeHead(answer.status, answer.headers)
    await pipeline(parts, response)
  }
}

/** How Node says that the other side closed the connection. */
const goneAway: ReadonlySet<string> = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'])

/** Ends a connection on which no whole answer can be given. A caller that went away is no failure of ours. */
function abandon(response: ServerResponse, error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const isCallers = error instanceof UnreadableBody || goneAway.has(String(code))
  if (!isCallers) console.error(error)
  response.destroy()
}
