/**
 * A platform for long simulations, independent of the emulator. It counts rows without creating them. A page costs a request.
 * The other parts are real: the client's limiter, the rate limit (§8, sliding, in its strictest reading), the retention, and all of
 * the exporter except the reader of pages.
 */

import { ApiError, createLimiter, rateLimit, TransportError } from '@cdn/api'
import type { RowBatch } from '@cdn/api/logs'
import { defined } from '@cdn/kit/defined'
import type { WindowReader } from '../../src/reader/api-reader.ts'
import type { Encode } from '../../src/rows/encoder.ts'
import type { SimulatedTime } from './simulated-time.ts'

/** Traffic of a zone. Rows come at equal intervals and are visible immediately. */
export interface ThinZone {
  readonly zone: string
  readonly rowsPerSecond: number
}

export interface ThinPlatform {
  readonly reader: WindowReader
  /** Number of requests that the rate limit refused. */
  refusals(): number
  /** Number of requests of one zone, or of all zones. */
  requests(zone?: string): number
}

export interface ThinOptions {
  readonly time: SimulatedTime
  readonly zones: readonly ThinZone[]
  /** Rows per page. */
  readonly page: number
  readonly retention: number
  /** Response time, in ms. */
  readonly latency: number | (() => number)
  /** Whether the platform answers at a time. */
  readonly isUp: (at: number) => boolean
}

/** Creates the platform. */
export function createThinPlatform(options: ThinOptions): ThinPlatform {
  const { time, zones, page, retention, latency, isUp } = options
  const intervals = new Map(zones.map(({ zone, rowsPerSecond }) => [zone, 1000 / rowsPerSecond]))
  const sentTimes = new Map<string, number[]>()
  const requests = new Map<string, number>()
  let refused = 0

  const limiter = createLimiter({ now: time.now, sleep: time.sleep })
  const failure = { operation: 'GET logs' }
  const refuse = (status: number) => new ApiError(new Response(null, { status }), '')

  /** Sends one request that begins at `from`. */
  async function ask(zone: string, from: number, signal: AbortSignal): Promise<void> {
    await limiter.run(
      BigInt(zone),
      async () => {
        const ms = typeof latency === 'function' ? latency() : latency
        await time.sleep(ms / 2, signal)
        const arrived = time.now()
        requests.set(zone, (requests.get(zone) ?? 0) + 1)
        const times = sentTimes.get(zone) ?? []
        sentTimes.set(zone, times)
        while ((times[0] ?? arrived) <= arrived - rateLimit.windowMs) times.shift()
        if (isUp(arrived) && times.length >= rateLimit.requests) {
          refused++
          throw refuse(429)
        }
        times.push(arrived)
        await time.sleep(ms / 2, signal)
        if (!isUp(arrived)) throw new TransportError(failure, 'network', 'got no response')
        if (from < arrived - retention) throw refuse(400)
      },
      signal,
    )
  }

  /** The index of the first row at or after a time. */
  const indexAt = (zone: string, at: number) => Math.ceil(at / defined(intervals.get(zone)))
  const timeOf = (zone: string, index: number) => index * defined(intervals.get(zone))

  const reader: WindowReader = {
    async *readRange(zone, from, to, signal) {
      for (let at = from; at < to; ) {
        await ask(zone, at, signal)
        const first = indexAt(zone, at)
        const last = Math.min(indexAt(zone, to), first + page)
        const end = last < indexAt(zone, to) ? Math.floor(timeOf(zone, last)) : to
        yield batchOf(zone, first, last, end)
        at = end
      }
    },
    async hasRows({ zone, from, to }, rows, signal) {
      await ask(zone, from, signal)
      return indexAt(zone, to) - indexAt(zone, from) === rows
    },
    now: time.now,
    shownTime: time.now,
    synchronize: async () => {},
    requireAccess: async () => {},
  }
  const requestsOf = (zone?: string) =>
    zone === undefined ? [...requests.values()].reduce((sum, count) => sum + count, 0) : (requests.get(zone) ?? 0)
  const batchOf = (zone: string, first: number, last: number, end: number): RowBatch => ({
    rows: Array.from({ length: last - first }, () => nothing),
    times: Array.from({ length: last - first }, (_, n) => Math.floor(timeOf(zone, first + n))),
    unreadable: [],
    end,
  })
  return { reader, refusals: () => refused, requests: requestsOf }
}

const nothing = {}

/** An encoder that only counts rows. */
export const countOnly: Encode = ({ rows }) => ({
  bytes: new Uint8Array(rows.length),
  rows: rows.length,
  values: [],
  replaced: 0,
  rejects: [],
})
