import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Contract, contracts } from '@cdn/api/contract'

/** One request as the server received it. */
export interface SeenRequest {
  readonly method: string
  /** Path and query, as sent. */
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * Starts a server that records every request and answers 204.
 *
 * @returns its URL without a path, and the requests so far
 */
export async function startRecordingServer() {
  const seen: SeenRequest[] = []
  const server = createServer(({ method, url, headers }, response) => {
    seen.push({ method: String(method), path: String(url), headers })
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo // the server listens on a port
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, seen, close }
}

/** Returns the imported interfaces. */
export function importedContracts(): Contract[] {
  return Object.values(contracts).filter(({ source }) => source === 'supplement')
}
