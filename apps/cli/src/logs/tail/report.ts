import type { LogRow } from '@cdn/api'
import { formatCount, formatSpan } from '../figures.ts'
import type { StatusLine } from '../status-line.ts'
import type { TailEvent } from './tail.ts'

/** A row as a tail prints it. */
export type TailRow = LogRow & {
  /** How old the row was, in milliseconds, when it came behind newer ones; absent where it came in order. */
  readonly lateMs?: number
}

/** Tells on standard error how a tail fares. */
interface Report {
  /** Hands on the rows of the events, and tells of all others. */
  readonly rows: (events: AsyncIterable<TailEvent>) => AsyncGenerator<TailRow, void, void>
  /** Tells of a request that failed and is repeated, so that nobody takes the pause for silence. */
  readonly retry: (error: Error, pauseMs: number) => void
  /** Whether rows were lost, or may have been. */
  readonly hasLost: () => boolean
  /**
   * Sums up.
   *
   * @param token to go on from
   */
  readonly end: (token: () => Promise<string>) => Promise<void>
}

/**
 * Makes a report.
 *
 * @param now the platform's time in milliseconds since 1970
 */
export function createReport(line: StatusLine, now: () => number): Report {
  let hasLooked = false
  let hasLost = false
  let isNarrowed = false
  let rows = 0
  let late = 0
  let latestMs = 0
  let failures = 0
  const counts = () => {
    const ofThem = late > 0 ? `, ${formatCount(late)} of them late (up to ${formatSpan(latestMs)})` : ''
    return `${formatCount(rows)} rows${ofThem}`
  }

  async function tell(event: Exclude<TailEvent, { kind: 'row' }>): Promise<void> {
    switch (event.kind) {
      case 'look': {
        hasLooked = true
        const failed = failures > 0 ? ` · failed requests: ${formatCount(failures)}` : ''
        return line.show(`${counts()} · ${formatSpan(Math.max(0, now() - event.reached))} behind${failed}`)
      }
      case 'trouble':
        failures++
        return line.note(`${event.error.message}; once more in ${formatSpan(event.pauseMs)}`)
      case 'lost':
        hasLost = true
        return line.note(`LOST: the rows from ${toIso(event.from)} to ${toIso(event.to)}: ${event.why}`)
      case 'narrowed':
        if (isNarrowed) return
        isNarrowed = true
        return line.note(
          `there are more rows than can be remembered for so long: late ones are looked for only ${formatSpan(now() - event.from)} back`,
        )
    }
  }

  return {
    async *rows(events) {
      for await (const event of events) {
        if (event.kind !== 'row') {
          await tell(event)
          continue
        }
        const { row, lateMs } = event
        rows++
        if (lateMs !== undefined) {
          late++
          latestMs = Math.max(latestMs, lateMs)
        }
        await line.clear()
        yield lateMs === undefined ? row : { ...row, lateMs }
      }
    },
    retry(error, pauseMs) {
      failures++
      line.show(`${counts()} · ${error.message}; once more in ${formatSpan(pauseMs)}`).catch(() => {})
    },
    hasLost: () => hasLost,
    // Where no look came about there is nothing to go on from.
    end: async (token) => {
      if (hasLooked || rows > 0) await line.note(`${counts()}. To go on from here: --resume ${await token()}`)
    },
  }
}

function toIso(ms: number): string {
  return new Date(ms).toISOString()
}
