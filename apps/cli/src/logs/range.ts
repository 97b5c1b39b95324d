import { retentionMs } from '@cdn/api'
import { dayMs } from '@cdn/kit/time'
import { UsageError } from '../terminal/command-error.ts'

interface RangeOptions {
  readonly since: number | undefined
  readonly from: Date | undefined
  readonly to: Date | undefined
}

/** A range in milliseconds since 1970. `from` is inclusive, `to` is exclusive. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

const defaultSpanMs = 3_600_000
/** Safety margin: a start exactly at the edge of the retention would be too old when the request arrives. */
const edgeMs = 60_000

/**
 * Decides the range of a command. The platform refuses a start beyond the retention instead of clamping it (supplement). So
 * `--since 3d` omits the oldest minute of the retention, and an earlier start is refused here.
 *
 * @param now in milliseconds since 1970
 * @throws UsageError if the options contradict each other, or logs are not kept for that long
 */
export function commandRange({ since, from, to }: RangeOptions, now: number): TimeRange {
  if (since !== undefined && from) throw new UsageError('Give --since or --from, not both')
  const end = to?.getTime() ?? now
  const begin = from?.getTime() ?? end - (since ?? defaultSpanMs)
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
