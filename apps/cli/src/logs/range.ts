import { retentionMs } from '@cdn/api'
import { dayMs, hourMs } from '@cdn/kit/time'
import type { Moment } from '../program/value-type.ts'
import { UsageError } from '../terminal/command-error.ts'

export interface RangeOptions {
  readonly since?: number | undefined
  readonly from?: Moment | undefined
  readonly to?: Moment | undefined
}

/** A range in milliseconds since 1970. `from` is inclusive, `to` is exclusive. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

const defaultSpanMs = hourMs
/** Safety margin: a start exactly at the edge of the retention would be too old when the request arrives. */
const edgeMs = 60_000

/**
 * Decides the range of a command. The platform refuses a start beyond the retention instead of clamping it (supplement). So
 * a start within a minute of the edge, such as `--since 3d`, moves to one minute after the edge. An earlier start is refused here.
 *
 * @throws UsageError if the options contradict each other, or logs are not kept for that long
 */
export function resolveRange({ since, from, to }: RangeOptions, current: Date): TimeRange {
  const now = current.getTime()
  if (since !== undefined && from) throw new UsageError('Give --since or --from, not both')
  const end = to?.(current).getTime() ?? now
  const begin = from?.(current).getTime() ?? end - (since ?? defaultSpanMs)
  if (begin > end) {
    const [later, earlier] = [new Date(begin).toISOString(), new Date(end).toISOString()]
    throw new UsageError(`The range begins at ${later}, after its end at ${earlier}`)
  }
  const oldest = now - retentionMs
  if (begin < oldest - edgeMs) {
    const [days, first] = [retentionMs / dayMs, new Date(oldest + edgeMs).toISOString()]
    throw new UsageError(
      `Logs are kept for ${days} days: start the range at ${first} or later, such as with --since ${days}d.`,
    )
  }
  return { from: begin < oldest + edgeMs ? Math.min(oldest + edgeMs, end) : begin, to: end }
}
