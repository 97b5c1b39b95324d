import { retentionMs } from '@cdn/api'
import { UsageError } from '../terminal/command-error.ts'

interface RangeOptions {
  /** Milliseconds. */
  readonly since: number | undefined
  readonly from: Date | undefined
  readonly to: Date | undefined
}

/** A range in milliseconds since 1970. `from` is inclusive, `to` is exclusive. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

/** Default length of the range. */
const defaultSpanMs = 3_600_000
/** Safety margin: a start exactly at the edge of the retention would be too old when the request arrives. */
const edgeMs = 60_000

/**
 * Decides the range of a command. A request for the whole retention (`--since 3d`) omits its oldest minute, because the platform
 * refuses a start beyond the retention instead of clamping it (supplement).
 *
 * @param now in milliseconds since 1970
 * @throws UsageError if the options contradict each other
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
  const isAtEdge = begin >= oldest - edgeMs && begin < oldest + edgeMs
  return { from: isAtEdge ? Math.min(oldest + edgeMs, end) : begin, to: end }
}
