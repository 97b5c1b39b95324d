import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A way to a server that breaks now and then. */
export interface CuttingProxy {
  readonly port: number
  /** How many connections it has cut after it had let a request through. */
  readonly cuts: number
  stop(): void
}

/**
 * Lets bytes through to a port of loopback. When `isCut` says so of what a client sends, it still arrives, and the
 * connection is cut before the answer comes back: the client cannot know whether it took effect.
 */
export async function startCuttingProxy(port: number, isCut: (sent: Buffer) => boolean): Promise<CuttingProxy> {
  const sockets = new Set<Socket>()
  let cuts = 0
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {}) // what matters follows with `close`
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (sent) => {
      if (!isCut(sent)) return void upstream.write(sent)
      cuts++
      client.destroy()
      // Ended, not destroyed: the server reads what was sent.
      upstream.end(sent)
    })
    upstream.on('data', (answer) => {
      if (!client.destroyed) client.write(answer)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    get cuts() {
      return cuts
    },
    stop() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
