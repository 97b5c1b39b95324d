import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messageOf } from '@cdn/kit/error-message'
import type { Registry } from 'prom-client'
import { ConfigurationError } from '../errors.ts'
import type { Problem, ProblemKind } from './health.ts'

/** For each path, whether a kind of problem makes it answer 503 instead of 200. */
const failsBy: Readonly<Record<string, (kind: ProblemKind) => boolean>> = {
  /** Fails if a restart may help. */
  '/livez': (kind) => kind === 'dead',
  '/healthz': (kind) => kind !== 'starting',
  /** Fails while the process is dead, and until the first window or cycle of a zone. Does not depend on the data. */
  '/readyz': (kind) => kind === 'dead' || kind === 'starting',
}

/** Whether `/healthz` answers 200. */
export function isHealthy(problems: readonly Problem[]): boolean {
  return !problems.some(({ kind }) => failsBy['/healthz']?.(kind))
}

/**
 * Serves `/metrics`, `/healthz`, `/readyz` and `/livez`.
 *
 * @param address to listen on. With port 0, the system selects a free port
 * @param registry of the metrics
 * @param problems returns the current problems
 * @returns the address of the server, which stops when it is disposed of
 * @throws ConfigurationError if the server cannot listen there; Error if another program listens there, because it may end
 */
export async function serveHealth(
  address: { readonly host: string; readonly port: number },
  registry: Registry,
  problems: () => Promise<Problem[]>,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(async ({ method, url = '/' }, response) => {
    const path = url.replace(/\?.*/, '')
    try {
      if (method !== 'GET' && method !== 'HEAD') return respond(response, 405, 'text/plain', 'GET or HEAD only\n')
      if (path === '/metrics') return respond(response, 200, registry.contentType, await registry.metrics())
      const fails = failsBy[path]
      if (!fails) return respond(response, 404, 'text/plain', 'There are /metrics, /healthz, /readyz and /livez.\n')
      const current = (await problems()).filter(({ kind }) => fails(kind))
      const body = { status: current.length === 0 ? 'ok' : 'unhealthy', problems: current }
      respond(response, current.length === 0 ? 200 : 503, 'application/json', `${JSON.stringify(body)}\n`)
    } catch (error) {
      respond(response, 500, 'text/plain', `${messageOf(error)}\n`)
    }
  })
  server.listen(address.port, address.host)
  await once(server, 'listening').catch(({ code }) => {
    const place = `listen: ${address.host} port ${address.port}`
    if (code === 'EADDRINUSE')
      throw new Error(`${place} is in use; stop the program that listens there, or choose another port.`)
    throw new ConfigurationError(`${place} cannot be used (${code}); choose another one.`)
  })
  // Safe: the server listens on a port, not on a socket file.
  const { address: host, family, port } = server.address() as AddressInfo
  return {
    url: `http://${family === 'IPv6' ? `[${host}]` : host}:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = server[Symbol.asyncDispose]()
      server.closeAllConnections()
      await closed
    },
  }
}

function respond(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
}
