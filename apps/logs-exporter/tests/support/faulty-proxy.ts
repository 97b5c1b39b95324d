import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Faults of a request. */
export type StoreFault =
  /** The connection is cut before the store receives the request. */
  | 'cut-before'
  /** The connection is cut after a part of the body; the store receives nothing. */
  | 'cut-body'
  /** The store performs the request, but the response is lost. */
  | 'lose-response'
  /** Half of the response's body arrives. */
  | 'cut-response'
  /** A proxy answers with its own page and status 200. */
  | 'page'
  | 'unavailable'
  | 'forbidden'

export interface FaultyProxy {
  readonly url: string
  /** The requests, such as `PUT /logs/key`. */
  readonly seen: { readonly method: string; readonly path: string; readonly headers: IncomingMessage['headers'] }[]
  /** Selects the fault of each request. If undefined, the request is forwarded. */
  fault: (method: string, path: string) => StoreFault | undefined
  close(): void
  stop(): Promise<void>
}

/** Starts a proxy in front of a store. */
export async function startProxy(upstream: string): Promise<FaultyProxy> {
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing).catch(() => outgoing.destroy()))
  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = incoming
    self.seen.push({ method, path, headers })
    const fault = self.fault(method, path)
    const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined
    if (fault === 'cut-before' || (fault === 'cut-body' && !hasBody)) return void incoming.socket.destroy()
    if (fault === 'cut-body') return void incoming.once('data', () => incoming.socket.destroy())
    const body = await bytesOf(incoming)
    if (fault === 'page') return void outgoing.end('<html>Please wait</html>')
    if (fault === 'unavailable') return void outgoing.writeHead(503).end()
    if (fault === 'forbidden') return void outgoing.writeHead(403).end()
    const forwarded = request(`${upstream}${path}`, { method, headers })
    forwarded.end(body)
    const [reply] = (await once(forwarded, 'response')) as [IncomingMessage] // the event has one value
    const content = await bytesOf(reply)
    if (fault === 'lose-response') return void incoming.socket.destroy()
    outgoing.writeHead(reply.statusCode ?? 500, reply.headers)
    if (fault === 'cut-response')
      return void outgoing.write(content.subarray(0, content.length / 2), () => incoming.socket.destroy())
    outgoing.end(content)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // the server listens on a port
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  const self: FaultyProxy = {
    url: `http://127.0.0.1:${port}`,
    seen: [],
    fault: () => undefined,
    close,
    stop: async () => close(),
  }
  return self
}

export async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of message) pieces.push(piece)
  return Buffer.concat(pieces)
}
