import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A way to the server that can be cut at COMMIT: before the server sees it, or when its answer is under way. */
export async function startWay(port: number) {
  const sockets = new Set<Socket>()
  let armed: 'before' | 'after' | undefined
  let [every, commits] = [Number.POSITIVE_INFINITY, 0]
  const proxy = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    let committing = false
    const end = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) sockets.add(socket.on('error', end).on('close', end))
    client.on('data', (bytes) => {
      committing = bytes.includes('commit')
      if (committing && ++commits % every === 0) armed = commits % (2 * every) === 0 ? 'before' : 'after'
      if (committing && armed === 'before') return way.hit(end)
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (committing && armed === 'after') return way.hit(end)
      client.write(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = proxy.address()
  const way = {
    port: typeof address === 'object' && address ? address.port : 0,
    cuts: 0,
    cut(when: 'before' | 'after') {
      armed = when
    },
    /** Cuts at each n-th COMMIT, by turns after and before the server has seen it. */
    cutEvery(n: number) {
      every = n
    },
    hit(end: () => void) {
      armed = undefined
      way.cuts++
      end()
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      proxy.close()
      await once(proxy, 'close')
    },
  }
  return way
}
