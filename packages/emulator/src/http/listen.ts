import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { InterfaceName } from '@cdn/api/contract'
import type { ControlledEmulator } from './control.ts'
import type { Dispatch } from './dispatch.ts'
import { createListener, toCall } from './listener.ts'

/** Options of the servers of both interfaces. */
export interface ListenOptions {
  /** Port of the management interface. The logging interface uses the next port. 0, the default, selects two free ports. */
  readonly port?: number
  /**
   * Address or host name to listen on; 127.0.0.1 by default. The control interface requires no credentials, so everyone who can
   * reach the address can control the emulator.
   */
  readonly host?: string
  /** Names under which callers reach the control interface, in addition to `host`, localhost and IP addresses. */
  readonly allowHosts?: readonly string[]
  /** Allows web pages of any origin to call both interfaces, but not the control interface; false by default. */
  readonly cors?: boolean
}

export interface Listening {
  readonly managementUrl: URL
  readonly loggingUrl: URL
  /** Stops both servers and closes all connections, including those that are streaming. */
  close(): Promise<void>
}

export const loopback = '127.0.0.1'

/** How long idle connections stay open, in milliseconds: the default of nginx. Clients close idle connections earlier. */
const keepAliveMs = 75_000

/**
 * Serves both interfaces, and the control interface on both ports.
 *
 * @throws Error in one sentence if a port is in use or not permitted, or if the host is invalid; RangeError if the port is out of
 *   range
 */
export async function listen(
  controlled: ControlledEmulator,
  dispatch: Dispatch,
  { port = 0, host = loopback, allowHosts = [], cors = false }: ListenOptions,
): Promise<Listening> {
  if (!Number.isInteger(port) || port < 0 || port > 65_534)
    throw new RangeError(`The port must be an integer from 0 to 65534, not ${port}`)
  // The target of the redirect fault: an origin outside the platform, which listens when it is first needed.
  let redirecting: Promise<Server> | undefined
  const redirectOrigin = async () => {
    redirecting ??= open(redirectListener(controlled), host, 0)
    return localUrl(host, await redirecting).origin
  }
  const hosts = new Set([host, ...allowHosts].map((name) => name.toLowerCase()))
  const serve = (name: InterfaceName, at: number) =>
    open(createListener(name, controlled, dispatch, { redirectOrigin, cors, hosts }), host, at)
  const management = await serve('management', port)
  try {
    const logging = await serve('logging', port === 0 ? 0 : port + 1)
    return {
      managementUrl: localUrl(host, management),
      loggingUrl: localUrl(host, logging),
      close: async () => void (await Promise.all([management, logging, redirecting].map(close))),
    }
  } catch (error) {
    await close(management)
    throw error
  }
}

/** Every request gets a 404, and the journal records it. The first segment of its path names the interface that redirected it. */
function redirectListener({ clock, journal }: ControlledEmulator): RequestListener {
  return (request, response) => {
    const call = toCall('management', request, response)
    const [, name, path = call.path] = /^\/(logging|management)(\/.*)$/.exec(call.path) ?? []
    journal.receiveRedirected(clock.now(), { ...call, path, interface: name === 'logging' ? name : 'management' })
    request.resume()
    response.writeHead(404).end()
  }
}

/** Returns the base URL for callers on this machine. If the server listens on all addresses, the host is loopback. */
function localUrl(host: string, server: Server): URL {
  // The cast is safe: only a pipe, or a server that does not listen, has another type of address.
  const { port } = server.address() as AddressInfo
  const name = host === '0.0.0.0' ? loopback : host === '::' ? '::1' : host
  return new URL(`http://${name.includes(':') ? `[${name}]` : name}:${port}`)
}

function open(listener: RequestListener, host: string, port: number): Promise<Server> {
  const server = createServer(listener)
  server.keepAliveTimeout = keepAliveMs
  // If a caller sends `Expect: 100-continue`, it gets a 100 when the body is read. If the body is not read, it gets no 100.
  server.on('checkContinue', listener)
  // Node itself responds to invalid HTTP with 400 or 431, and closes a CONNECT.
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)))
    server.listen(port, host, () => resolve(server))
  })
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(`Port ${port} is in use: choose another one, or 0 for any free port`)
  if (error.code === 'EACCES') return new Error(`No permission to open port ${port}: choose a port above 1023`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new Error(`Invalid host ${host}: expected an address of this machine, or 0.0.0.0 for all of them`)
  return error
}

async function close(opening: Server | Promise<Server> | undefined): Promise<void> {
  const server = await opening
  if (!server) return
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
