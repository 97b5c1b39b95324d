import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listen } from '@cdn/kit/testing/listen'

/** Responses that replace those of the store: a page of a proxy, errors, and an incomplete listing. */
const replies = {
  page: [200, '<html>Please wait</html>'],
  unavailable: [503, ''],
  // S3's answer to a conditional PUT during another one.
  conflict: [409, '<Error><Code>ConditionalRequestConflict</Code><Message>test</Message></Error>'],
  forbidden: [403, '<Error><Code>AccessDenied</Code><Message>test</Message></Error>'],
  'no-token': [200, '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>'],
} as const

export type StoreFault =
  | keyof typeof replies
  /** The connection is cut before the store receives the request. */
  | 'cut-before'
  /** The connection is cut after a part of the body; the store receives nothing. */
  | 'cut-body'
  /** The body arrives changed. */
  | 'garbled'
  /** The store performs the request, but the response is lost. */
  | 'lose-response'
  /** Half of the response's body arrives. */
  | 'cut-response'

export interface StoreRequest {
  readonly method: string
  /** Such as `/logs/key`, without the query parameter that the AWS library adds. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
}

export interface FaultyProxy {
  readonly url: string
  readonly seen: StoreRequest[]
  /** Selects the fault of each request. If undefined, the request is forwarded. */
  fault: (request: StoreRequest) => StoreFault | undefined
  close(): void
}

/** Starts a proxy in front of a store. */
export async function startProxy(upstream: string): Promise<FaultyProxy> {
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing).catch(() => outgoing.destroy()))
  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = incoming
    const seen = { method, path: url.replace(/[?&]x-id=\w+$/, ''), headers }
    self.seen.push(seen)
    const fault = self.fault(seen)
    const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined
    if (fault === 'cut-before' || (fault === 'cut-body' && !hasBody)) return void incoming.socket.destroy()
    if (fault === 'cut-body') return void incoming.once('data', () => incoming.socket.destroy())
    const body = await buffer(incoming)
    if (fault && fault in replies) {
      const [status, text] = replies[fault as keyof typeof replies] // safe: it is in the table
      return void outgoing.writeHead(status, { 'content-type': 'application/xml' }).end(text)
    }
    if (fault === 'garbled') body[0] = (body[0] ?? 0) ^ 1
    const forwarded = request(`${upstream}${url}`, { method, headers })
    forwarded.end(body)
    const [reply] = (await once(forwarded, 'response')) as [IncomingMessage] // the event has one value
    const content = await buffer(reply)
    if (fault === 'lose-response') return void incoming.socket.destroy()
    outgoing.writeHead(reply.statusCode ?? 500, reply.headers)
    if (fault === 'cut-response')
      return void outgoing.write(content.subarray(0, content.length / 2), () => incoming.socket.destroy())
    outgoing.end(content)
  }
  const self: FaultyProxy = {
    url: await listen(server),
    seen: [],
    fault: () => undefined,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return self
}
