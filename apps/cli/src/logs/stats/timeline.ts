import { dayMs, hourMs } from '@cdn/kit/time'
import type { TimeRange } from '../range.ts'

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
