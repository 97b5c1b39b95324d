import { createServer } from 'node:http'
import { announce } from './announce.ts'

/** The floor: a `node:http` server that answers 204 to everything, or with bytes that were made before. */
const { page } = JSON.parse(process.argv[2] ?? '{}') as { page?: { bytes: number; returned: number } }
const bytes = page && Buffer.from(`${' '.repeat(page.bytes)}"returned":${page.returned},"hasMore":true`)
// It has no clock to move; whoever asks for it is told so.
process.on('message', () => process.send?.(0))
const server = createServer((_request, response) => {
  if (bytes) response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes)
  else response.writeHead(204).end()
})
announce(server)
