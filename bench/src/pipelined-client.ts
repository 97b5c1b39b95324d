import { once } from 'node:events'
import { connect } from 'node:net'
import { defined } from '@cdn/kit/defined'
import type { Load } from './rates.ts'

/** Number of connections, and of concurrent requests per connection. */
const connections = 8
const depth = 8

/**
 * Creates a load that sends one request repeatedly, as raw bytes on keep-alive connections. Such a client takes almost no time. A
 * client with `node:http` would dominate the measurement.
 *
 * @param url base URL of the server
 * @param accessKey the credential
 * @returns a load that counts responses with 204
 * @throws Error on any other status
 */
export function createDeleteLoad(url: string, accessKey: string): Load {
  const { hostname, port } = new URL(url)
  const request = `DELETE /videolibrary/1001/watermark HTTP/1.1\r\nHost: ${hostname}\r\nAccessKey: ${accessKey}\r\n\r\n`
  return async (milliseconds) => {
    const end = performance.now() + milliseconds
    const counts = await Promise.all(
      Array.from({ length: connections }, () => runConnection(hostname, Number(port), request, end)),
    )
    return counts.reduce((sum, count) => sum + count, 0)
  }
}

async function runConnection(host: string, port: number, request: string, end: number): Promise<number> {
  const socket = connect(port, host)
  await once(socket, 'connect')
  let count = 0
  let pending = depth
  let rest = ''
  socket.write(request.repeat(depth))
  // A socket without an encoding emits buffers.
  for await (const chunk of socket as AsyncIterable<Buffer>) {
    // A 204 has no body, so the response ends with its head.
    const heads = (rest + chunk.toString('latin1')).split('\r\n\r\n')
    rest = defined(heads.pop())
    const wrong = heads.find((head) => !head.startsWith('HTTP/1.1 204'))
    if (wrong) throw new Error(`Unexpected response of ${host}:${port}: ${wrong.split('\r\n')[0]}`)
    count += heads.length
    pending -= heads.length
    if (performance.now() < end) {
      socket.write(request.repeat(heads.length))
      pending += heads.length
    } else if (pending === 0) break
  }
  return count
}
