import type { LogRow } from '@cdn/api'
import { dayMs, hourMs } from '@cdn/kit/time'
import type { Dimension } from '../options.ts'
import type { TimeRange } from '../range.ts'
import { createFrequentCounter, type FrequentCounter } from './frequent.ts'

/** Occurrences of the values of one field. */
export interface Breakdown {
  /** The most frequent values, most frequent first. A row without the field counts as `null`. */
  readonly values: readonly { readonly value: string | null; readonly requests: number; readonly share: number }[]
  readonly others: number
  /** The true count of a value may be higher than `requests` by at most this amount. 0 if all counts are exact. */
  readonly error: number
}

/** The JSON of `cdn logs stats`. The shape is stable: fields may be added, but their meaning never changes. */
export interface LogStatistics {
  readonly pullZoneId: number | bigint
  /** ISO 8601, inclusive. */
  readonly from: string
  /** ISO 8601, exclusive. */
  readonly to: string
  readonly requests: number
  readonly bytes: number | bigint
  /** Share of HIT among the requests that reached the cache (0 to 1); null without such requests. */
  readonly hitRatio: number | null
  readonly by: Readonly<Partial<Record<Dimension, Breakdown>>>
  readonly overTime: {
    readonly stepMs: number
    readonly points: readonly {
      readonly from: string
      readonly requests: number
      readonly hitRatio: number | null
      readonly serverErrors: number
      readonly bytes: number | bigint
    }[]
  }
}

/**
 * Starts a count of rows, in bounded memory.
 *
 * @param by fields to count by
 */
export function createCounting(pullZoneId: number | bigint, range: TimeRange, by: readonly Dimension[]) {
  const { stepMs, first, count } = cutIntoSteps(range)
  const points = Array.from({ length: count }, emptyPoint)
  const total = emptyPoint()
  const counters = by.map((dimension): [Dimension, FrequentCounter] => [dimension, createFrequentCounter()])

  return {
    requests: () => total.requests,
    add(row: LogRow) {
      const point = points[Math.floor((Date.parse(row.timestamp) - first) / stepMs)]
      for (const sum of point ? [total, point] : [total]) addTo(sum, row)
      for (const [dimension, counter] of counters) counter.add(textOf(fieldOf[dimension](row)))
    },
    summary: (top: number): LogStatistics => ({
      pullZoneId,
      from: new Date(range.from).toISOString(),
      to: new Date(range.to).toISOString(),
      requests: total.requests,
      bytes: exact(total.bytes),
      hitRatio: hitRatioOf(total),
      by: Object.fromEntries(
        counters.map(([dimension, counter]) => [dimension, breakdown(counter, top, total.requests)]),
      ),
      overTime: {
        stepMs,
        points: points.map((point, n) => ({
          from: new Date(first + n * stepMs).toISOString(),
          requests: point.requests,
          hitRatio: hitRatioOf(point),
          serverErrors: point.serverErrors,
          bytes: exact(point.bytes),
        })),
      },
    }),
  }
}

const fieldOf: Readonly<Record<Dimension, (row: LogRow) => unknown>> = {
  status: ({ statusCode }) => statusCode,
  cacheStatus: ({ cacheStatus }) => cacheStatus,
  country: ({ countryCode }) => countryCode,
  host: ({ host }) => host,
  path: ({ path }) => (typeof path === 'string' ? path.replace(/\?.*/s, '') : path),
  userAgent: ({ userAgent }) => userAgent,
}

/** The text of a value of any type, since the platform may violate the contract. */
function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value)
}

function addTo(sum: TimelinePoint, { cacheStatus, statusCode, bytesSent }: LogRow): void {
  sum.requests++
  if (typeof bytesSent === 'bigint' || Number.isSafeInteger(bytesSent)) sum.bytes += BigInt(bytesSent)
  if (statusCode >= 500) sum.serverErrors++
  // The status is `-` or missing if the request did not reach the cache (§2).
  if (cacheStatus === '-' || !cacheStatus) return
  sum.cacheable++
  if (cacheStatus === 'HIT') sum.hits++
}

function hitRatioOf({ hits, cacheable }: TimelinePoint): number | null {
  return cacheable === 0 ? null : hits / cacheable
}

function breakdown(counter: FrequentCounter, top: number, requests: number): Breakdown {
  const values = counter.top(top).map(({ value, count }) => ({
    value,
    requests: count,
    share: count / requests,
  }))
  const shown = values.reduce((sum, { requests: count }) => sum + count, 0)
  return { values, others: requests - shown, error: counter.error() }
}

function exact(bytes: bigint): number | bigint {
  return bytes <= Number.MAX_SAFE_INTEGER ? Number(bytes) : bytes
}

/** The requests of one time step. */
export interface TimelinePoint {
  requests: number
  hits: number
  /** Requests that reached the cache: all except those with the status `-`. */
  cacheable: number
  /** Requests with a status of 500 or more. */
  serverErrors: number
  bytes: bigint
}

const [second, minute] = [1000, 60_000]
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * second),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12, 24].map((n) => n * hourMs),
]
/** Fits a terminal of 80 columns. Enough for an hour in minutes, whichever second the hour begins at. */
const maxPoints = 64

/**
 * Splits a range into steps of a round length that begin at round times.
 *
 * @returns the length of a step in milliseconds, the start of the first step, and the number of steps
 */
export function cutIntoSteps({ from, to }: TimeRange): { stepMs: number; first: number; count: number } {
  const fits = (step: number) => Math.ceil(to / step) - Math.floor(from / step) <= maxPoints
  // The platform refuses such a long range, but the points are allocated before.
  const days = Math.ceil((to - from) / (maxPoints - 1) / dayMs)
  const stepMs = steps.find(fits) ?? days * dayMs
  const first = Math.floor(from / stepMs) * stepMs
  return { stepMs, first, count: Math.max(1, Math.ceil((to - first) / stepMs)) }
}

/** @returns a point without requests */
export function emptyPoint(): TimelinePoint {
  return { requests: 0, hits: 0, cacheable: 0, serverErrors: 0, bytes: 0n }
}
