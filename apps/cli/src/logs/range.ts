import { UsageError } from '../errors/command-error.ts'

/** What was given of a range. */
interface Given {
  /** Milliseconds. */
  readonly since: number | undefined
  readonly from: Date | undefined
  readonly to: Date | undefined
}

/** A range in milliseconds since 1970, from inclusive, to exclusive. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** A range that begins exactly at the end of the retention is too old by the time that the request arrives. */
const edgeMs = 60_000

/**
 * Settles the range that is asked for. The whole retention (`--since 3d`) is asked for without its oldest minute, since the
 * platform refuses what is too old instead of leaving it out (supplement).
 *
 * @param now in milliseconds since 1970
 * @param standardMs how long the range is where nothing says when it begins
 * @param retentionMs how long logs are kept (§8)
 * @throws UsageError where the options contradict each other
 */
export function toRange({ since, from, to }: Given, now: number, standardMs: number, retentionMs: number): Range {
  if (since !== undefined && from) throw new UsageError('Give --since or --from, not both')
  const end = to?.getTime() ?? now
  const begin = from?.getTime() ?? end - (since ?? standardMs)
  if (begin > end) {
    const [later, earlier] = [new Date(begin).toISOString(), new Date(end).toISOString()]
    throw new UsageError(`The range begins at ${later}, after its end at ${earlier}`)
  }
  const oldest = now - retentionMs
  const isAtEdge = begin >= oldest - edgeMs && begin < oldest + edgeMs
  return { from: isAtEdge ? Math.min(oldest + edgeMs, end) : begin, to: end }
}
