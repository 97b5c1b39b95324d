import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { InterfaceName } from '@cdn/api/contract'
import type { KeyPair } from './certificate.ts'
import type { ControlledEmulator } from './control.ts'
import type { Dispatch } from './dispatch.ts'
import { createListener } from './listener.ts'
import { localUrl, loopback } from './local-url.ts'
import { createRedirectTarget } from './redirect-target.ts'

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
  /** Serves HTTPS, with a key and a certificate as PEM text or with a new self-signed certificate. The default is HTTP. */
  readonly tls?: 'self-signed' | KeyPair
  /** Allows web pages of any origin to call both interfaces, but not the control interface; false by default. */
  readonly cors?: boolean
}

/** The running servers of both interfaces. */
export interface Listening {
  readonly managementUrl: URL
  readonly loggingUrl: URL
  /** PEM text of the server certificate; absent without TLS. */
  readonly certificate?: string
  /** Stops both servers and closes all connections, including those that are streaming. */
  close(): Promise<void>
}

/** How long idle connections stay open, in milliseconds: the default of nginx. Clients close idle connections earlier. */
const keepAliveMs = 75_000

/**
 * Serves both interfaces, and the control interface on both ports.
 *
 * @throws Error in one sentence if a port is in use, or if the host or the certificate is invalid; RangeError if the port is
 *   out of range
 */
export async function listen(
  controlled: ControlledEmulator,
  dispatch: Dispatch,
  { port = 0, host = loopback, allowHosts = [], tls, cors = false }: ListenOptions,
): Promise<Listening> {
  if (!Number.isInteger(port) || port < 0 || port > 65_534)
    throw new RangeError(`The port must be an integer from 0 to 65534, not ${port}`)
  const pair = tls === 'self-signed' ? await (await import('./certificate.ts')).createSelfSigned(host) : tls
  const redirectTarget = createRedirectTarget(host, controlled.clock, controlled.journal)
  const hosts = new Set([host, ...allowHosts].map((name) => name.toLowerCase()))
  const serve = (name: InterfaceName, at: number) =>
    open(createListener(name, controlled, dispatch, { redirectTarget, cors, hosts }), pair, host, at)
  const urlOf = (server: Server) => localUrl(pair ? 'https' : 'http', host, server)
  const management = await serve('management', port)
  try {
    const logging = await serve('logging', port === 0 ? 0 : port + 1)
    return {
      managementUrl: urlOf(management),
      loggingUrl: urlOf(logging),
      ...(pair && { certificate: pair.certificate }),
      close: async () => void (await Promise.all([close(management), close(logging), redirectTarget.close()])),
    }
  } catch (error) {
    await close(management)
    throw error
  }
}

function open(listener: RequestListener, pair: KeyPair | undefined, host: string, port: number): Promise<Server> {
  const server = createHttpServer(listener, pair)
  server.keepAliveTimeout = keepAliveMs
  // If a caller sends `Expect: 100-continue`, it gets a 100 when the body is read. If the body is not read, it gets no 100.
  server.on('checkContinue', listener)
  // Node itself responds to invalid HTTP with 400 or 431, and closes a CONNECT.
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)))
    server.listen(port, host, () => resolve(server))
  })
}

function createHttpServer(listener: RequestListener, pair: KeyPair | undefined): Server {
  if (!pair) return createServer(listener)
  try {
    return createTlsServer({ key: pair.key, cert: pair.certificate }, listener)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`The key and the certificate must be PEM text and belong together: ${reason}`, { cause: error })
  }
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE')
    return new Error(`Port ${port} is in use: choose another one, or 0 for any free port`)
  if (error.code === 'EACCES') return new Error(`No permission to open port ${port}: choose a port above 1023`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new Error(`Invalid host ${host}: expected an address of this machine, or 0.0.0.0 for all of them`)
  return error
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}
