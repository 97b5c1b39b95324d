import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import {
  createLimiter,
  createManagementClient,
  type ManagementPaths,
  withIdleTimeout,
  withObserver,
  withRateLimit,
  withTimeout,
} from '@cdn/api'
import { assertDefined } from '@cdn/kit/assert-defined'
import { listen } from '@cdn/kit/testing/listen'
import createOpenapiClient from 'openapi-fetch'
import { digits, type Measurement, type Row } from '../row.ts'

const path = '/pullzone/{id}'
const options = { params: { path: { id: 42 } } }
const body = JSON.stringify({ Id: 42, Name: 'shop', AllowedReferrers: ['a.example', 'b.example'], EnableLogging: true })

const rounds = 300
const callsPerRound = 60

/** Compares the processor time of a call with a call of bare openapi-fetch. The server runs in a process of its own. */
export const clientCalls: Measurement = {
  name: 'client-calls',
  async run() {
    const server = fork(import.meta.filename, { execArgv: process.execArgv })
    const [baseUrl]: string[] = await once(server, 'message')
    const common = { baseUrl: assertDefined(baseUrl), accessKey: 'key-of-the-account' }
    const defaultClient = createManagementClient(common)
    const wrap = [
      withObserver({ request() {}, response() {} }),
      withTimeout(60_000),
      withIdleTimeout(10_000),
      withRateLimit(createLimiter({ requests: 1e9, windowMs: 1 })),
    ]
    const wrappedClient = createManagementClient({ ...common, timeout: false, wrap }) // `wrap` has two time limits
    const headers = { AccessKey: 'key-of-the-account' }
    const bare = createOpenapiClient<ManagementPaths>({ baseUrl: common.baseUrl, headers })
    try {
      const calls = [
        () => bare.GET(path, options),
        () => defaultClient.GET(path, options),
        () => wrappedClient.GET(path, options),
      ]
      const [, ofDefaults, ofAll] = await ratios(calls)
      return [
        row('with key, retries and time-out (the defaults)', assertDefined(ofDefaults), 1.35),
        row('with all wrappers', assertDefined(ofAll), 1.6),
      ]
    } finally {
      server.kill()
    }
  },
}

function row(what: string, { ratio, us }: CallCost, bound: number): Row {
  return {
    what: `a call over a socket ${what}`,
    ours: `${digits(us)} us of processor time`,
    peer: `bare openapi-fetch, ${ratio.toFixed(2)} times`,
    bound: `at most ${bound} times`,
    met: ratio <= bound,
  }
}

interface CallCost {
  /** Processor time of a call, in microseconds. */
  readonly us: number
  /** `us`, divided by the `us` of the first call. */
  readonly ratio: number
}

/**
 * Runs the calls alternately, and compares each with the first one. The order rotates, because each call pays for the garbage of the
 * previous call. Only the faster half of the rounds counts, because other programs of the machine slow the rest down.
 */
async function ratios(calls: readonly (() => Promise<{ readonly data?: unknown }>)[]): Promise<CallCost[]> {
  const times = calls.map((): number[] => [])
  for (let round = -20; round < rounds; round++)
    for (let nth = 0; nth < calls.length; nth++) {
      const index = (nth + round + calls.length * 20) % calls.length
      const call = assertDefined(calls[index])
      const start = process.cpuUsage()
      for (let n = 0; n < callsPerRound; n++) if (!(await call()).data) throw new Error('A call returned no data')
      const { user, system } = process.cpuUsage(start)
      if (round >= 0) assertDefined(times[index]).push((user + system) / callsPerRound) // the first rounds warm up
    }
  const [first = 0, ...others] = times.map(meanOfFasterHalf)
  return [first, ...others].map((us) => ({ us, ratio: us / first }))
}

function meanOfFasterHalf(values: readonly number[]): number {
  const faster = values.toSorted((a, b) => a - b).slice(0, values.length >> 1)
  return faster.reduce((sum, each) => sum + each, 0) / faster.length
}

/** Runs the server if `clientCalls` has started this file as a separate process. */
if (process.send && process.argv[1] === import.meta.filename) {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(body)
  })
  process.send(await listen(server))
}
