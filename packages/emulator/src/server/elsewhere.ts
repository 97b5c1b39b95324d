import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../clock.ts'
import type { Call } from '../http/call.ts'
import type { Recorder } from '../journal/journal.ts'

/** An origin that is none of the platform's: the redirect fault leads there, and the journal sees what arrives. */
export interface Elsewhere {
  /** Opens it, where it is not open yet. */
  origin(): Promise<string>
  close(): Promise<void>
}

/**
 * Opens a port of loopback when it is first needed. Every request is answered 404; the first segment of its path is the
 * interface that it was sent away from.
 */
export function createElsewhere(host: string, clock: Clock, journal: Recorder): Elsewhere {
  let opening: Promise<Server> | undefined
  const open = () =>
    new Promise<Server>((resolve, reject) => {
      const server = createServer((request, response) => {
        journal.receiveElsewhere(clock.now(), toCall(request))
        request.resume()
        response.writeHead(404).end()
      })
      server.once('error', reject).listen(0, host, () => resolve(server))
    })
  return {
    async origin() {
      opening ??= open()
      const server = await opening
      return `http://${host}:${(server.address() as AddressInfo).port}`
    },
    async close() {
      const server = await opening
      server?.close()
      server?.closeAllConnections()
    },
  }
}

function toCall(request: IncomingMessage): Call {
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
