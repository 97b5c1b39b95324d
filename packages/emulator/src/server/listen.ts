import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { InterfaceName } from '@cdn/api/contract'
import type { Dispatch } from '../http/dispatch.ts'
import type { Controlled } from './control.ts'
import { createElsewhere, type Elsewhere } from './elsewhere.ts'
import { createListener } from './listener.ts'

/** Both interfaces on sockets. */
export interface Listening {
  readonly managementUrl: URL
  readonly loggingUrl: URL
  /** Ends all connections, also those that are streaming. */
  close(): Promise<void>
}

/** The emulator is for the machine it runs on: its control interface asks for no credentials. */
const loopback = '127.0.0.1'

/**
 * Serves both interfaces and the control interface on loopback.
 *
 * @param port management's port, logging's being the next one; two free ports where 0
 * @throws Error in one sentence where a port is in use; RangeError where it is no port
 */
export async function listen(controlled: Controlled, dispatch: Dispatch, port: number): Promise<Listening> {
  if (!Number.isInteger(port) || port < 0 || port > 65_534)
    throw new RangeError(`The port must be an integer from 0 to 65534, not ${port}`)
  const elsewhere = createElsewhere(loopback, controlled.clock, controlled.journal)
  const management = await open('management', controlled, dispatch, elsewhere, port)
  try {
    const logging = await open('logging', controlled, dispatch, elsewhere, port === 0 ? 0 : port + 1)
    return {
      managementUrl: urlOf(management),
      loggingUrl: urlOf(logging),
      close: async () => void (await Promise.all([close(management), close(logging), elsewhere.close()])),
    }
  } catch (error) {
    await close(management)
    throw error
  }
}

function open(
  name: InterfaceName,
  controlled: Controlled,
  dispatch: Dispatch,
  elsewhere: Elsewhere,
  port: number,
): Promise<Server> {
  const server = createServer(createListener(name, controlled, dispatch, elsewhere))
  // What is no HTTP, Node answers by itself, 400 or 431; a CONNECT it closes.
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, port)))
    server.listen(port, loopback, () => resolve(server))
  })
}

function explain(error: NodeJS.ErrnoException, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(`Port ${port} is in use; name another one, or 0 for any that is free`)
  if (error.code === 'EACCES') return new Error(`Port ${port} is not yours to open; name one above 1023`)
  return error
}

function urlOf(server: Server): URL {
  return new URL(`http://${loopback}:${(server.address() as AddressInfo).port}`)
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
