import type { LogRow } from '@cdn/api'
import { formatCount, formatSpan } from '../figures.ts'
import type { StatusLine } from '../status-line.ts'
import type { TailEvent } from './tail.ts'

/** Tells on standard error how a tail fares. */
interface Report {
  /** Hands on the rows of the events, and tells of all others. */
  readonly rows: (events: AsyncIterable<TailEvent>) => AsyncGenerator<LogRow, void, void>
  /** Sums up, and gives the token to go on from. */
  readonly end: () => Promise<void>
}

/**
 * Makes a report.
 *
 * @param now the platform's time in milliseconds since 1970
 * @param from where the tail begins
 */
export function createReport(line: StatusLine, now: () => number, from: number): Report {
  let settled = from
  let reached = from
  let rows = 0
  let late = 0
  let latestMs = 0
  let troubles = 0
  const counts = () => {
    const ofThem = late > 0 ? `, ${formatCount(late)} of them late (up to ${formatSpan(latestMs)})` : ''
    return `${formatCount(rows)} rows${ofThem}`
  }

  async function tell(event: Exclude<TailEvent, { kind: 'row' }>): Promise<void> {
    switch (event.kind) {
      case 'look': {
        settled = event.settled
        reached = event.reached
        const failed = troubles > 0 ? ` · ${formatCount(troubles)} looks failed` : ''
        return line.show(`${counts()} · ${formatSpan(Math.max(0, now() - reached))} behind${failed}`)
      }
      case 'trouble':
        troubles++
        return line.note(`${event.error.message}; once more in ${formatSpan(event.pauseMs)}`)
      case 'lost':
        return line.note(`LOST: the rows from ${toIso(event.from)} to ${toIso(event.to)}: ${event.why}`)
      case 'narrowed':
        return line.note(
          `more rows than can be remembered: late ones from before ${toIso(event.from)} are not looked for`,
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
        rows++
        if (event.lateMs !== undefined) {
          late++
          latestMs = Math.max(latestMs, event.lateMs)
        }
        await line.clear()
        yield event.row
      }
    },
    end: () => line.note(`${counts()}. To go on from here: --resume ${toIso(settled)}`),
  }
}

function toIso(ms: number): string {
  return new Date(ms).toISOString()
}
