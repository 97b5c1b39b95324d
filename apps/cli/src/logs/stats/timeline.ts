import type { Range } from '../range.ts'

/** What happened in one step of time. */
export interface TimelinePoint {
  requests: number
  /** Of them with the cache status HIT. */
  hits: number
  /** Of them those that met the cache: all but the status `-`. */
  cacheable: number
  /** Of them with a status of 500 and more. */
  serverErrors: number
  bytes: bigint
}

const [second, minute, hour] = [1000, 60_000, 3_600_000]
const steps = [
  ...[1, 2, 5, 10, 15, 30].map((n) => n * second),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12, 24].map((n) => n * hour),
]
/** As many points as a terminal of 80 columns shows; enough for the minutes of an hour that begins at any second. */
const mostPoints = 64

/**
 * Cuts a range into steps of a round length that begin at round times.
 *
 * @returns their length in milliseconds, and where the first one begins
 */
export function cutIntoSteps({ from, to }: Range): { stepMs: number; first: number; count: number } {
  const stepMs = steps.find((step) => Math.ceil(to / step) - Math.floor(from / step) <= mostPoints) ?? 24 * hour
  const first = Math.floor(from / stepMs) * stepMs
  return { stepMs, first, count: Math.max(1, Math.ceil((to - first) / stepMs)) }
}

/** @returns a point where nothing has happened yet */
export function emptyPoint(): TimelinePoint {
  return { requests: 0, hits: 0, cacheable: 0, serverErrors: 0, bytes: 0n }
}
