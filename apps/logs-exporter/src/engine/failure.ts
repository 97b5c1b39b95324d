import { ApiError, IncompleteLogsError, TransportError } from '@cdn/api'
import { isUnreadable as isUnreadableAnswer } from '@cdn/api/logs'
import { assertDefined } from '@cdn/kit/assert-defined'
import { backOff } from '@cdn/kit/wait'
import { SinkError } from '../errors.ts'
import type { ExportPlan } from './plan.ts'

/** Whether a read from the platform failed. Failures of the work on its rows do not count. */
export function isReadFailure(error: unknown): error is Error {
  return error instanceof ApiError || error instanceof TransportError || error instanceof IncompleteLogsError
}

/**
 * Whether a read failed because of the rows of its range. False for a refusal of the credential or the zone, the rate limit and a
 * redirect, which concern every request. A fault of the exporter itself never becomes a gap.
 */
export function isUnreadable(error: unknown): boolean {
  return error instanceof IncompleteLogsError || (isReadFailure(error) && isUnreadableAnswer(error))
}

/** Whether the segments of a window are damaged. Such a failure concerns the window, not its zone. */
export function isDamage(error: unknown): error is SinkError {
  return error instanceof SinkError && error.kind === 'damaged'
}

/** Maximum distance of a refused start from the edge of the retention, in ms. Clocks differ, and requests take time. */
const tolerance = 5 * 60_000

/**
 * Whether the platform refused a start because it lies beyond the retention. The platform answers 400 (§7) and does not clamp the
 * start (supplement). For a start well inside the retention, a 400 has another cause.
 *
 * @param from the requested start
 */
export function isBeyondRetention(error: unknown, from: number, now: number, plan: ExportPlan): boolean {
  return error instanceof ApiError && error.status === 400 && from < now - plan.retention + tolerance
}

/** Consecutive failures after which a command that ends gives up. `run` never does. */
export const maxFailures = 3

/** Whether a command that ends gives up a zone. A refusal may last, and each time-out costs a minute. */
export function isGivenUp(failures: number, error: unknown): boolean {
  const isSlow = error instanceof TransportError && error.kind === 'timeout'
  return failures >= maxFailures || isRefusal(error) || isSlow
}

/** Whether the platform refused the credential, or the credential has no access to the zone. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && [401, 403].includes(error.status)
}

/** Whether the platform refused the credential or the zone. Retries then become rare. */
export function isRefusal(error: unknown): boolean {
  return isForbidden(error) || (error instanceof ApiError && error.status === 404)
}

const pauses = { firstMs: 5_000, maxMs: 60_000 }
/** Pauses after consecutive refusals, in ms. A single refusal may come from a proxy. A lasting one needs an operator. */
const refusalPausesMs = [10_000, 30_000, 60_000, 5 * 60_000]

/**
 * Pause of a zone after consecutive failures, in ms. Except after refusals, it is at most one minute, because each additional minute
 * may cost a minute of logs.
 */
export function zonePause(failures: number, error: unknown): number {
  if (isRefusal(error)) return assertDefined(refusalPausesMs.at(Math.min(failures, refusalPausesMs.length) - 1))
  return backOff(failures, pauses)
}
