import type { Server } from 'node:http'
import { listen } from '@cdn/kit/testing/listen'
import type { Ready } from './child.ts'

/**
 * Listens on a free loopback port and sends the address to the measurement, for both interfaces. The server accepts any key.
 *
 * @param server a server in a child process
 */
export async function announce(server: Server): Promise<void> {
  const url = await listen(server)
  process.send?.({ managementUrl: url, loggingUrl: url, accessKey: 'any' } satisfies Ready)
  // If the measurement fails, its servers must stop, too.
  process.once('disconnect', () => process.exit())
}
