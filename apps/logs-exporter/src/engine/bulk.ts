import { dayMs, hourMs } from '@cdn/kit/time'
import type { ZoneContext } from './options.ts'
import { deadlineOf } from './plan.ts'

/** Consecutive cycles without a usable response after which version 2 counts as failing. */
const maxFailures = 3
/** Minimum duration of a pace measurement, in ms. */
const minPaceMs = 60_000
/** Time reserved for reading a day file, in ms. If version 2 is too slow for a zone, its day file has billions of lines. */
const bulkTime = 6 * hourMs

/**
 * Whether to read the day file of version 1 for the window at `position`. The exporter does so if version 2 fails, or is too slow
 * for the deadline. Until the end of its day the file grows, and every read starts from its beginning. So the exporter reads it
 * at most once an hour. The same limit applies after a failed read.
 *
 * @param position start of the oldest open window
 * @returns the reason; undefined to read version 2
 */
export function bulkReason(
  { reader, plan, memory }: ZoneContext,
  position: number,
): 'failing' | 'deadline' | undefined {
  const now = reader.now()
  // If the platform keeps less than it promises, the beginning of a day file may be missing, and nothing shows that.
  if (now - memory.bulkAt < hourMs || memory.refusedStarts > 0) return undefined
  if (memory.readFailures >= maxFailures) return 'failing'
  const { covered, spent } = memory.pace
  if (spent < minPaceMs) return undefined
  // The deadline moves with the clock. It catches up with a reader that reads less than an hour of logs per hour.
  const pace = covered / spent
  return pace < 1 && (deadlineOf(position, plan) - now) / (1 - pace) < bulkTime ? 'deadline' : undefined
}

/** The end of the UTC day that contains a time. */
export function dayEnd(at: number): number {
  return (Math.floor(at / dayMs) + 1) * dayMs
}
