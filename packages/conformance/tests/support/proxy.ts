import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A proxy in front of both interfaces, as in company networks. */
export interface Proxy {
  readonly management: URL
  readonly logging: URL
  close(): Promise<void>
}

const added = {
  'x-generated-at': '2026-01-01T00:00:00Z',
  via: '1.1 proxy',
  'x-request-id': 'f00',
  'x-frame-options': 'DENY',
  'strict-transport-security': 'max-age=1',
}

/**
 * Serves both interfaces on one origin, each under a path prefix, and adds headers.
 *
 * @param onRequest called with each request that arrives
 */
export async function startProxy(
  urls: { management: URL; logging: URL },
  onRequest: (request: IncomingMessage) => void = () => {},
): Promise<Proxy> {
  const server = createServer(async (request, response) => {
    onRequest(request)
    const [, prefix, rest = '/'] = /^\/api\/(management|logs)(\/.*)?$/.exec(String(request.url)) ?? []
    if (prefix === undefined) return void response.writeHead(404).end('no such path')
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers
    const base = prefix === 'management' ? urls.management : urls.logging
    const method = request.method ?? 'GET'
    // No client of these tests repeats a header.
    const init = { method, headers: headers as Record<string, string>, redirect: 'manual' as const }
    const answer = await fetch(new URL(rest, base), parts.length > 0 ? { ...init, body: Buffer.concat(parts) } : init)
    const { 'content-encoding': ____, 'content-length': _____, ...own } = Object.fromEntries(answer.headers)
    response.sendDate = !('date' in own)
    response.writeHead(answer.status, { ...own, ...added })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
  // Simulated time is slow on a busy machine, and a client must not send on a connection that is being closed.
  server.keepAliveTimeout = 75_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    management: new URL(`${origin}/api/management/`),
    logging: new URL(`${origin}/api/logs/`),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
