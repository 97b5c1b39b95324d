import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Recorder } from '../journal/journal.ts'
import type { Clock } from '../platform/clock.ts'
import { localUrl } from './local-url.ts'
import type { EmulatorRequest } from './messages.ts'

/** The target of the redirect fault: an origin outside the platform. The journal records its requests. */
export interface RedirectTarget {
  /** Starts the server if it is not running, and returns its origin. */
  origin(): Promise<string>
  close(): Promise<void>
}

/**
 * Creates a server that starts to listen when it is first needed. Every request gets a 404. The first segment of the request's
 * path names the interface that redirected the request.
 */
export function createRedirectTarget(host: string, clock: Clock, journal: Recorder): RedirectTarget {
  let opening: Promise<Server> | undefined
  const open = () =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer((request, response) => {
        journal.receiveRedirected(clock.now(), toCall(request))
        request.resume()
        response.writeHead(404).end()
      })
      server.once('error', reject).listen(0, host, () => resolve(server))
    })
  return {
    async origin() {
      opening ??= open()
      const server = await opening
      return localUrl('http', host, server).origin
    },
    async close() {
      const server = await opening
      server?.close()
      server?.closeAllConnections()
    },
  }
}

function toCall(request: IncomingMessage): EmulatorRequest {
  const [path = '/', ...query] = (request.url ?? '/').split('?')
  const isLogging = path.startsWith('/logging/')
  return {
    interface: isLogging ? 'logging' : 'management',
    method: request.method ?? 'GET',
    path: path.replace(/^\/(logging|management)(?=\/)/, ''),
    query: query.join('?'),
    headers: { get: (name: string) => request.headers[name.toLowerCase()]?.toString() ?? null },
    body: async () => new Uint8Array(),
  }
}
