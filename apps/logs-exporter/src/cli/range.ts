import { closedUntil, type ExportPlan } from '../engine/plan.ts'
import { ConfigurationError } from '../errors.ts'
import { type ExportRange, isoTime } from '../segments/segment.ts'

/** A range of the command line. Times are in ms since 1970. It begins `since` ms before its end, or at `from`. */
export interface RequestedRange {
  readonly from?: number | undefined
  readonly since?: number | undefined
  /** By default, the end of the newest closed window. */
  readonly to?: number | undefined
}

/**
 * Resolves a range of the command line by the platform's clock.
 *
 * @throws ConfigurationError for an end in the future, or an empty range
 */
export function resolveRange({ from, since = 0, to }: RequestedRange, now: number, plan: ExportPlan): ExportRange {
  const closed = closedUntil(now, plan)
  const end = to ?? closed
  if (end > now)
    throw new ConfigurationError(
      `--to ${isoTime(end)} lies in the future; the newest closed window ends at ${isoTime(closed)}.`,
    )
  const start = from ?? end - since
  if (start >= end)
    throw new ConfigurationError(`--from ${isoTime(start)} must be before the end of the range, ${isoTime(end)}.`)
  return { from: start, to: end }
}
