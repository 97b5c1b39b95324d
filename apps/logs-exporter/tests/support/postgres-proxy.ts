import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/**
 * Point at which a connection is cut: before the server receives COPY or COMMIT, or before the answer to COMMIT arrives.
 */
export type Cut = 'before copy' | 'before commit' | 'after commit'

/** Starts a TCP proxy in front of PostgreSQL. It cuts a connection at a chosen point (`Cut`). */
export async function startPostgresProxy(port: number) {
  const sockets = new Set<Socket>()
  let armed: Cut | undefined
  let swallowed: (() => void) | undefined
  let [every, commits] = [Number.POSITIVE_INFINITY, 0]
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    let committing = false
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    // Without Nagle's delay, as at both ends. Otherwise every other message waits 40 ms for an acknowledgement.
    for (const socket of [client, upstream]) sockets.add(socket.setNoDelay().on('error', end).on('close', end))
    client.on('data', (bytes) => {
      if (swallowed) return swallowed()
      committing = bytes.includes('commit')
      if (committing && ++commits % every === 0) armed = commits % (2 * every) === 0 ? 'before commit' : 'after commit'
      if (committing && armed === 'before commit') return proxy.hit(end)
      if (armed === 'before copy' && bytes.includes('copy cdn_logs')) return proxy.hit(end)
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (committing && armed === 'after commit') return proxy.hit(end)
      client.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const proxy = {
    port: typeof address === 'object' && address ? address.port : 0,
    cuts: 0,
    cut(when: Cut) {
      armed = when
    },
    /** Reads everything and answers nothing from now on, like an unreachable server. Resolves when the first data arrives. */
    silence: () =>
      new Promise<void>((resolve) => {
        swallowed = resolve
      }),
    /** Cuts the connection at each n-th COMMIT, alternately after and before the server receives the COMMIT. */
    cutEvery(n: number) {
      every = n
    },
    hit(end: () => void) {
      armed = undefined
      proxy.cuts++
      end()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  return proxy
}
