import { describeError, type Log } from '../cli/log.ts'

export interface FollowOptions {
  /** Lists the zones. Failures are logged and change nothing. */
  list(signal: AbortSignal): Promise<readonly string[]>
  /** Called with all zones if some are new or removed. */
  onChange(zones: readonly string[]): void
  sleep(ms: number, signal: AbortSignal): Promise<void>
  readonly log: Log
  readonly signal: AbortSignal
}

/** Interval between listings, in ms. One window of the default length. */
export const followMs = 5 * 60_000

/**
 * Lists the zones every few minutes until the signal fires. New zones begin at the oldest logs that can be read. Removed zones
 * are logged, and their export ends.
 *
 * @param first the initially exported zones
 */
export async function followZones(first: readonly string[], options: FollowOptions): Promise<void> {
  const { list, onChange, sleep, log, signal } = options
  let known = new Set(first)
  for (;;) {
    await sleep(followMs, signal)
    if (signal.aborted) return
    try {
      const zones = await list(signal)
      const added = zones.filter((zone) => !known.has(zone))
      const gone = [...known].filter((zone) => !zones.includes(zone))
      if (added.length > 0) log.info({ zones: added }, 'new zones in the account; their export begins')
      if (gone.length > 0)
        log.warn({ zones: gone }, 'zones were removed, renamed, or have logging off; their export ends')
      if (added.length + gone.length > 0) onChange(zones)
      known = new Set(zones)
    } catch (error) {
      if (signal.aborted) return
      log.warn({ error: describeError(error) }, 'the zones cannot be listed; the export of the known zones continues')
    }
  }
}
