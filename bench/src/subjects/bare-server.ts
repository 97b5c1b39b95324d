import { createServer } from 'node:http'
import { announce } from './announce.ts'

/** The baseline: a `node:http` server that responds with 204, or with prepared bytes. */
const { page }: { page?: { bytes: number; returned: number } } = JSON.parse(process.argv[2] ?? '{}')
const bytes = page && Buffer.from(`${' '.repeat(page.bytes)}"returned":${page.returned},"hasMore":true`)
// The server has no clock. To a request to advance the clock, it replies 0.
process.on('message', () => process.send?.(0))
const server = createServer((_request, response) => {
  if (bytes) response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes)
  else response.writeHead(204).end()
})
announce(server)
