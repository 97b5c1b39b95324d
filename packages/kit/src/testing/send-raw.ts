import { connect } from 'node:net'

/** Sends raw bytes to a server, and returns everything that is received until the connection closes. */
export function sendRaw({ hostname, port }: URL, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.end(bytes))
    socket.on('data', (part) => (answer += part.toString('latin1')))
    socket.on('error', () => resolve(answer))
    socket.on('close', () => resolve(answer))
  })
}
