import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Ready } from './child.ts'

/** The floor: a `node:http` server that answers 204 to everything, or with bytes that were made before. */
const { page } = JSON.parse(process.argv[2] ?? '{}') as { page?: { bytes: number; returned: number } }
const bytes = page && Buffer.from(`${' '.repeat(page.bytes)}"returned":${page.returned},"hasMore":true`)
// It has no clock to move; whoever asks for it is told so.
process.on('message', () => process.send?.(0))
const server = createServer((_request, response) => {
  if (bytes) response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length }).end(bytes)
  else response.writeHead(204).end()
})
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  process.send?.({ managementUrl: url, loggingUrl: url, accessKey: 'any' } satisfies Ready)
})

// A measurement that fails must not leave its servers behind.
process.once('disconnect', () => process.exit())
