import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Ready } from './child.ts'

/**
 * Listens on a free loopback port and sends the address to the measurement, for both interfaces. The server accepts any key.
 *
 * @param server a server in a child process
 */
export function announce(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo // the server listens on a port
    const url = `http://127.0.0.1:${port}`
    process.send?.({ managementUrl: url, loggingUrl: url, accessKey: 'any' } satisfies Ready)
  })
  // If the measurement fails, its servers must stop, too.
  process.once('disconnect', () => process.exit())
}
