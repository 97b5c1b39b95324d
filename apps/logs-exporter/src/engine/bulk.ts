import type { ZoneContext } from './options.ts'
import { deadlineOf } from './plan.ts'

const hour = 3_600_000
/** Turns in a row without a usable answer, after which version 2 counts as failing. */
const mostFailures = 3
/** A pace that was measured over less says nothing, in ms. */
const shortestWalk = 60_000
/** A day file of a zone that version 2 cannot keep up with has billions of lines; reading it takes hours. */
const bulkTime = 6 * hour
const day = 24 * hour

/**
 * Whether the day file of version 1 is read for the window at `position`: where version 2 fails, or cannot make the deadline
 * (§7 of the design). A day that is not over has a file that grows, and is read whole each time: at most once an hour, as is
 * one that could not be read.
 *
 * @param position start of the oldest open window
 * @returns why; undefined where version 2 is read
 */
export function bulkReason(
  { reader, plan, memory }: ZoneContext,
  position: number,
): 'failing' | 'deadline' | undefined {
  const now = reader.now()
  // Where less is kept than is promised, a day file may lack its beginning, and does not say so.
  if (now - memory.bulkAt < hour || memory.refusedStarts > 0) return undefined
  if (memory.readFailures >= mostFailures) return 'failing'
  const { covered, spent } = memory.pace
  if (spent < shortestWalk) return undefined
  // The deadline moves on with the clock; a walk that covers less than an hour an hour is caught by it.
  const pace = covered / spent
  return pace < 1 && (deadlineOf(position, plan) - now) / (1 - pace) < bulkTime ? 'deadline' : undefined
}

/** The end of the UTC day that holds a time. */
export function dayEnd(at: number): number {
  return (Math.floor(at / day) + 1) * day
}
