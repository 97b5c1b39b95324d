import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'

/** Lets a server listen on a free port of this machine. @returns its origin, such as `http://127.0.0.1:50123` */
export async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // the server listens on a port
  return `http://127.0.0.1:${port}`
}
