/**
 * A platform for long simulations, written apart from the emulator: rows are counted, not made, and a page is a request like any
 * other. What is real: the client's limiter, the rate limit (§8, sliding, as strict as it can be read), the retention, and
 * everything of the exporter but the reader of pages.
 */
import { createLimiter, type Limiter, LoggingError, rateLimit, TransportError } from '@cdn/api'
import type { Reader } from '../../src/reader/reader.ts'
import type { RowBatch } from '../../src/rows/batch.ts'
import type { Encode } from '../../src/rows/encoder.ts'
import type { SimulatedTime } from './simulated-time.ts'

/** A zone's traffic: rows at even distances, all of them visible at once. */
export interface ThinZone {
  readonly zone: string
  readonly rowsPerSecond: number
}

export interface ThinPlatform {
  readonly reader: Reader
  /** Requests that were refused by the rate limit. */
  refusals(): number
  /** Requests, of one zone or of all. */
  requests(zone?: string): number
}

export interface ThinOptions {
  readonly time: SimulatedTime
  readonly zones: readonly ThinZone[]
  /** Rows of a page. */
  readonly page: number
  readonly retention: number
  /** How long an answer takes, in ms. */
  readonly latency: number | (() => number)
  /** Whether it answers, at a time. */
  readonly isUp: (at: number) => boolean
}

/** Version 1 always fails, so that what is saved is what version 2 gives. */
export function createThinPlatform(options: ThinOptions): ThinPlatform {
  const { time, zones, page, retention, latency, isUp } = options
  const intervals = new Map(zones.map(({ zone, rowsPerSecond }) => [zone, 1000 / rowsPerSecond]))
  const limiters = new Map<string, Limiter>()
  const asked = new Map<string, number[]>()
  const requests = new Map<string, number>()
  let refused = 0

  const limiterOf = (zone: string, until?: number) => {
    const known = until === undefined ? limiters.get(zone) : undefined
    const predecessor = until === Number.POSITIVE_INFINITY ? 'unknown' : () => until ?? 0
    const limiter = known ?? createLimiter({ now: time.now, sleep: time.sleep, predecessor })
    limiters.set(zone, limiter)
    return limiter
  }
  const failure = { operation: 'GET logs', attempt: 1, redact: String }
  const refuse = (status: number) =>
    new LoggingError({ ...failure, response: new Response(null, { status }), text: '' })

  /** One request that begins at `from`. */
  async function ask(zone: string, from: number, signal: AbortSignal): Promise<void> {
    await limiterOf(zone).run(
      BigInt(zone),
      async () => {
        const ms = typeof latency === 'function' ? latency() : latency
        await time.sleep(ms / 2, signal)
        const arrived = time.now()
        requests.set(zone, (requests.get(zone) ?? 0) + 1)
        const times = asked.get(zone) ?? []
        asked.set(zone, times)
        while ((times[0] ?? arrived) <= arrived - rateLimit.windowMs) times.shift()
        if (isUp(arrived) && times.length >= rateLimit.requests) {
          refused++
          throw refuse(429)
        }
        times.push(arrived)
        await time.sleep(ms / 2, signal)
        if (!isUp(arrived)) throw new TransportError(failure, 'network', 'got no answer')
        if (from < arrived - retention) throw refuse(400)
      },
      signal,
    )
  }

  /** The index of the first row at or after a time. */
  const indexAt = (zone: string, at: number) => Math.ceil(at / (intervals.get(zone) ?? 1))
  const timeOf = (zone: string, index: number) => index * (intervals.get(zone) ?? 1)

  const reader: Reader = {
    async *walk(zone, from, to, signal) {
      for (let at = from; at < to; ) {
        await ask(zone, at, signal)
        const first = indexAt(zone, at)
        const last = Math.min(indexAt(zone, to), first + page)
        const end = last < indexAt(zone, to) ? Math.floor(timeOf(zone, last)) : to
        yield batchOf(zone, first, last, end)
        at = end
      }
    },
    async hasRows(zone, from, to, rows, signal) {
      await ask(zone, from, signal)
      return indexAt(zone, to) - indexAt(zone, from) === rows
    },
    // biome-ignore lint/correctness/useYield: it never gets so far
    async *dayFile(zone, _day, signal) {
      await ask(zone, time.now(), signal)
      throw refuse(500)
    },
    now: time.now,
    takeOver: (zone, until) => void limiterOf(zone, until ?? 0),
    busyUntil: (zone) => limiterOf(zone).busyUntil(BigInt(zone)),
  }
  const requestsOf = (zone?: string) =>
    zone === undefined ? [...requests.values()].reduce((sum, count) => sum + count, 0) : (requests.get(zone) ?? 0)
  const batchOf = (zone: string, first: number, last: number, end: number): RowBatch => ({
    bytes: nothing,
    marks: new Uint32Array(0),
    markStarts: new Uint32Array(0),
    starts: new Uint32Array(last - first),
    ends: new Uint32Array(last - first),
    times: Float64Array.from({ length: last - first }, (_, n) => Math.floor(timeOf(zone, first + n))),
    end,
  })
  return { reader, refusals: () => refused, requests: requestsOf }
}

const nothing = new Uint8Array(0)

/** Rows without content, which only count. */
export const countOnly: Encode = (_batch, first, last) => ({
  bytes: new Uint8Array(last - first),
  rows: last - first,
  replaced: 0,
  rejects: [],
})
