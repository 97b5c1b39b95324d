import type { LogRow } from '@cdn/api'
import { assertDefined } from '@cdn/kit/assert-defined'
import { dayMs, hourMs, minuteMs } from '@cdn/kit/time'
import type { Dimension } from '../options.ts'
import type { TimeRange } from '../range.ts'

/** The JSON of `cdn logs stats`. The shape is stable: fields may be added, but their meaning never changes. */
export type LogStatistics = ReturnType<ReturnType<typeof createCounting>['summary']>

/** Occurrences of the values of one field. */
export type Breakdown = ReturnType<typeof breakdown>

/**
 * Starts a count of rows, in bounded memory.
 *
 * @param by fields to count by
 */
export function createCounting(pullZoneId: number | bigint, range: TimeRange, by: readonly Dimension[]) {
  const { stepMs, first, count } = cutIntoSteps(range)
  const points = Array.from({ length: count }, createSum)
  const total = createSum()
  const counters = by.map((dimension) => [dimension, createFrequentCounter()] as const)
  return {
    requests: () => total.requests,
    add(row: LogRow) {
      const point = points[Math.floor((Date.parse(row.timestamp) - first) / stepMs)]
      for (const sum of point ? [total, point] : [total]) addTo(sum, row)
      for (const [dimension, counter] of counters) {
        const value = fieldOf[dimension](row)
        // The platform may violate the contract, so the value may have any type.
        counter.add(value === null || value === undefined ? null : String(value))
      }
    },
    summary: (top: number) => ({
      pullZoneId,
      /** ISO 8601, inclusive. */
      from: new Date(range.from).toISOString(),
      /** ISO 8601, exclusive. */
      to: new Date(range.to).toISOString(),
      requests: total.requests,
      bytes: exact(total.bytes),
      /** Share of HIT among the requests with a cache status, BYPASS included (0 to 1); null without such requests. */
      hitRatio: hitRatioOf(total),
      by: Object.fromEntries(counters.map(([dimension, counter]) => [dimension, breakdown(counter, top, total)])),
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

/** The sum of requests. `withCacheStatus` are those with a cache status, `serverErrors` those with a status of 500 or more. */
const createSum = () => ({ requests: 0, hits: 0, withCacheStatus: 0, serverErrors: 0, bytes: 0n })
type Sum = ReturnType<typeof createSum>

function addTo(sum: Sum, { cacheStatus, statusCode, bytesSent }: LogRow): void {
  sum.requests++
  if (typeof bytesSent === 'bigint' || Number.isSafeInteger(bytesSent)) sum.bytes += BigInt(bytesSent)
  if (statusCode >= 500) sum.serverErrors++
  // The status is `-` or missing if the request did not reach the cache (§2).
  if (cacheStatus === '-' || !cacheStatus) return
  sum.withCacheStatus++
  if (cacheStatus === 'HIT') sum.hits++
}

function hitRatioOf({ hits, withCacheStatus }: Sum): number | null {
  return withCacheStatus === 0 ? null : hits / withCacheStatus
}

function exact(bytes: bigint): number | bigint {
  return bytes <= Number.MAX_SAFE_INTEGER ? Number(bytes) : bytes
}

function breakdown(counter: ReturnType<typeof createFrequentCounter>, top: number, { requests: all }: Sum) {
  const values = counter.top(top).map(({ value, count }) => ({ value, requests: count, share: count / all }))
  return {
    /** The most frequent values, most frequent first. A row without the field counts as `null`. */
    values,
    others: values.reduce((left, { requests }) => left - requests, all),
    /** The true count of a value may be higher than `requests` by at most this amount. 0 if all counts are exact. */
    error: counter.error(),
  }
}

/** Longer texts are identified by their beginning and their length, so that hostile rows cannot fill the memory. */
const maxLength = 256

/**
 * Counts with the Misra-Gries algorithm. When there are more values than the capacity, all counts are reduced by their median, and
 * values whose count falls to 0 are dropped. The error of a count is at most the sum of these reductions. That sum is at most
 * 2 n / capacity for n values.
 *
 * @param capacity maximum number of counted values
 */
export function createFrequentCounter(capacity = 8192) {
  const counts = new Map<string | null, number>()
  let error = 0
  return {
    /** @param value null for a row without a value */
    add(value: string | null) {
      const key = value !== null && value.length > maxLength ? shorten(value) : value
      counts.set(key, (counts.get(key) ?? 0) + 1)
      if (counts.size <= capacity) return
      const median = assertDefined([...counts.values()].sort((a, b) => a - b)[counts.size >> 1])
      error += median
      for (const [known, count] of counts) {
        if (count <= median) counts.delete(known)
        else counts.set(known, count - median)
      }
    },
    /** The most frequent values. Equally frequent values are in alphabetical order. */
    top: (most: number) =>
      [...counts]
        .map(([value, count]) => ({ value, count }))
        .sort((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1))
        .slice(0, most),
    /** Maximum error of a count. Values that occurred at most this often may be missing. */
    error: () => error,
  }
}

/** Copies the text: a slice would keep the whole text in memory. */
function shorten(value: string): string {
  return Buffer.from(`${value.slice(0, maxLength)}… (${value.length} characters)`).toString()
}

const steps = [
  ...[1, 2, 5, 10, 15, 30].flatMap((n) => [n * 1000, n * minuteMs]),
  ...[1, 2, 3, 6, 12, 24].map((n) => n * hourMs),
].sort((a, b) => a - b)
/** Maximum number of steps. They fit a terminal of 80 columns, and an hour in minutes, whichever second the hour begins at. */
const maxPoints = 64

/**
 * Splits a range into steps of a round length that begin at round times.
 *
 * @returns the length of a step in milliseconds, the start of the first step, and the number of steps
 */
export function cutIntoSteps({ from, to }: TimeRange): { stepMs: number; first: number; count: number } {
  const fits = (step: number) => Math.ceil(to / step) - Math.floor(from / step) <= maxPoints
  // The step for a range that no usual step fits. The platform refuses such a range later, but the points are allocated first.
  const days = Math.ceil((to - from) / (maxPoints - 1) / dayMs)
  const stepMs = steps.find(fits) ?? days * dayMs
  const first = Math.floor(from / stepMs) * stepMs
  return { stepMs, first, count: Math.max(1, Math.ceil((to - first) / stepMs)) }
}
