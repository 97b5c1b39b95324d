import { createServer } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { listen } from '@cdn/kit/testing/listen'

/**
 * Starts an object store whose answers to one method, except for listings, never end. It refuses every second object as existing.
 *
 * @param listing the body of its answer to a listing
 */
export async function startEndlessStore(method: string, status: number, listing: string) {
  let puts = 0
  // 64 MiB, so that an unlimited reader ends, too.
  const pieces = Array<Buffer>(1024).fill(Buffer.alloc(2 ** 16, ' '))
  const server = createServer(async (request, response) => {
    await buffer(request)
    const isListing = /list/.test(request.url ?? '')
    response.setHeader('x-ms-request-id', '1').setHeader('content-type', 'application/xml')
    if (request.method === method && !isListing)
      pipeline(Readable.from(pieces), response.writeHead(status), () => {}) // the client ends it
    else if (isListing) response.end(listing)
    else response.writeHead(puts++ % 2 === 0 ? 201 : 412).end()
  })
  return {
    url: await listen(server),
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
