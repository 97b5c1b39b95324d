import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The address of this machine for itself. */
export const loopback = '127.0.0.1'

/**
 * Returns the base URL for callers on this machine. If the server listens on all addresses, the host is loopback.
 *
 * @param host the address or host name that the server listens on
 */
export function localUrl(scheme: 'http' | 'https', host: string, server: Pick<Server, 'address'>): URL {
  // The cast is safe: only a pipe, or a server that does not listen, has another type of address.
  const { port } = server.address() as AddressInfo
  const name = host === '0.0.0.0' ? loopback : host === '::' ? '::1' : host
  return new URL(`${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`)
}
