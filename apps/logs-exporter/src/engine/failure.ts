import { CallError, IncompleteLogsError, LoggingError } from '@cdn/api'
import { SinkError } from '../sinks/sink-error.ts'
import type { Plan } from './plan.ts'

/** Whether a reading failed, and not what was done with it. */
export function isReadFailure(error: unknown): error is Error {
  return error instanceof CallError || error instanceof IncompleteLogsError
}

/** Whether the segments of a window are not what was written: that window's trouble, not its zone's. */
export function isDamage(error: unknown): error is SinkError {
  return error instanceof SinkError && error.kind === 'damaged'
}

/**
 * Whether version 2 gives no usable answer, so that version 1 may help. It would refuse a credential or a zone as well, and
 * where less is kept than is promised its file may lack its beginning, and does not say so.
 *
 * @param isLate the deadline has passed, so that a 400 may be about the retention
 */
export function isV2Failure(error: unknown, isLate: boolean): boolean {
  if (!isReadFailure(error) || isRefusal(error)) return false
  return !(isLate && error instanceof LoggingError && error.status === 400)
}

/** How far from the end of the retention a start may lie that is refused for it, in ms: clocks differ, and requests wait. */
const tolerance = 5 * 60_000

/**
 * Whether a start was refused because it is no longer kept (400, §7; supplement: older is refused, not clamped). Elsewhere
 * than at the end of the retention a 400 has another cause.
 *
 * @param from the start that was asked for
 */
export function isBeyondRetention(error: unknown, from: number, now: number, plan: Plan): boolean {
  return error instanceof LoggingError && error.status === 400 && from < now - plan.retention + tolerance
}

/** Whether the credential or the zone was refused: asking again soon does not help. */
export function isRefusal(error: unknown): boolean {
  return error instanceof LoggingError && [401, 403, 404].includes(error.status)
}

/**
 * Whether the ledger says that another worker owns the zone by now. Where only the sink says so, its fence may be of a fleet that is no
 * more: that is a failure, for somebody to read.
 */
export function isFenced(error: unknown): boolean {
  return error instanceof Error && error.name === 'FencedError'
}

export function toError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause))
}

const [firstPause, longestPause, pauseOfRefusal] = [5_000, 60_000, 5 * 60_000]

/** How long a zone is left alone after so many failures in a row, in ms. A minute more of it may be a minute of logs that is lost. */
export function pauseAfter(failures: number, error: unknown): number {
  return isRefusal(error) ? pauseOfRefusal : Math.min(firstPause * 2 ** (failures - 1), longestPause)
}
