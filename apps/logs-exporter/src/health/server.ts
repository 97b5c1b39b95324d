import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Registry } from 'prom-client'
import type { Problem, ProblemKind } from './health.ts'

/** What each address looks at; 200 where nothing of it is wrong, else 503. */
const looksAt: Readonly<Record<string, readonly ProblemKind[]>> = {
  /** Should the process be started anew? */
  '/livez': ['dead'],
  /** Is data safe? */
  '/healthz': ['dead', 'danger', 'lost', 'rejected', 'failing'],
  /** Does it work? */
  '/readyz': ['dead', 'danger', 'lost', 'rejected', 'failing', 'starting'],
}

/** Whether `/healthz` is green with these problems. */
export function isHealthy(problems: readonly Problem[]): boolean {
  return !problems.some(({ kind }) => looksAt['/healthz']?.includes(kind))
}

/**
 * Serves `/metrics`, `/healthz`, `/readyz` and `/livez`.
 *
 * @param address where to listen; port 0 takes a free one
 * @param registry the metrics
 * @param problems what is wrong at the moment of the question
 * @returns where it listens, and how to end it
 * @throws where it cannot listen there
 */
export async function serveHealth(
  address: { readonly host: string; readonly port: number },
  registry: Registry,
  problems: () => Promise<Problem[]>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer(async ({ method, url = '/' }, response) => {
    const [path = '/'] = url.split('?')
    try {
      if (method !== 'GET' && method !== 'HEAD') return answer(response, 405, 'text/plain', 'GET only\n')
      if (path === '/metrics') return answer(response, 200, registry.contentType, await registry.metrics())
      const kinds = looksAt[path]
      if (!kinds) return answer(response, 404, 'text/plain', 'There are /metrics, /healthz, /readyz and /livez.\n')
      const found = (await problems()).filter(({ kind }) => kinds.includes(kind))
      const body = { status: found.length === 0 ? 'ok' : 'trouble', problems: found }
      answer(response, found.length === 0 ? 200 : 503, 'application/json', `${JSON.stringify(body)}\n`)
    } catch (error) {
      answer(response, 500, 'text/plain', `${error instanceof Error ? error.message : String(error)}\n`)
    }
  })
  server.listen(address.port, address.host)
  await once(server, 'listening')
  const { address: host, family, port } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`,
    close: () => end(server),
  }
}

function answer(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
}

async function end(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
