import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createLimiter,
  createManagementClient,
  type ManagementPaths,
  withIdleTimeout,
  withObserver,
  withRateLimit,
  withRetry,
  withTimeout,
} from '@cdn/api'
import createOpenapiClient from 'openapi-fetch'
import { compare, type Load } from '../rates.ts'
import { digits, type Measurement, type Row } from '../row.ts'

const path = '/pullzone/{id}'
const options = { params: { path: { id: 42 } } }
const body = JSON.stringify({ Id: 42, Name: 'shop', AllowedReferrers: ['a.example', 'b.example'], EnableLogging: true })

/** Compares a call through all wrappers to a call through bare openapi-fetch, in process and over a socket. */
export const clientCalls: Measurement = {
  name: 'client-calls',
  async run() {
    const inProcess = async () => new Response(body, { headers: { 'content-type': 'application/json' } })
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end(body)
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // the server listens on a port
    const baseUrl = `http://127.0.0.1:${port}`
    try {
      return [await row('in process', 1.3, baseUrl, inProcess), await row('over a socket', 1.05, baseUrl)]
    } finally {
      server.closeAllConnections()
      server.close()
    }
  },
}

async function row(where: string, bound: number, baseUrl: string, fetch?: typeof globalThis.fetch): Promise<Row> {
  const sender = fetch && { fetch }
  const limiter = createLimiter({ requests: 1e9, windowMs: 1 })
  const ours = createManagementClient({
    ...sender,
    baseUrl,
    accessKey: async () => 'key',
    wrap: [
      withObserver({ request() {}, response() {} }),
      withTimeout(60_000),
      withRetry(),
      withIdleTimeout(10_000),
      withRateLimit(limiter),
    ],
  })
  const bare = createOpenapiClient<ManagementPaths>({ ...sender, baseUrl, headers: { AccessKey: 'key' } })
  const [our, theirs] = await compare([load(() => ours.GET(path, options)), load(() => bare.GET(path, options))])
  const [ourUs, theirUs] = [1e6 / our, 1e6 / theirs]
  return {
    what: `a call ${where}, all wrappers`,
    ours: `${digits(ourUs)} us`,
    peer: `openapi-fetch bare ${digits(theirUs)} us`,
    bound: `at most ${bound} times`,
    met: ourUs <= bound * theirUs,
  }
}

function load(call: () => Promise<{ readonly data?: unknown }>): Load {
  return async (milliseconds) => {
    let count = 0
    for (const end = performance.now() + milliseconds; performance.now() < end; count++) {
      if (!(await call()).data) throw new Error('A call returned no data')
    }
    return count
  }
}
