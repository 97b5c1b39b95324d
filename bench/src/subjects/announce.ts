import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Ready } from './child.ts'

/**
 * Listens on a free loopback port and tells the measurement where, as a server of both interfaces that takes any key.
 *
 * @param server one that runs as a child process of its own
 */
export function announce(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    process.send?.({ managementUrl: url, loggingUrl: url, accessKey: 'any' } satisfies Ready)
  })
  // A measurement that fails must not leave its servers behind.
  process.once('disconnect', () => process.exit())
}
