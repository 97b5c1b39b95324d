import type { LogRow, RetryReason } from '@cdn/api'
import { formatCount, formatSpan } from '../figures.ts'
import { describeRetry, type StatusLine } from '../status-line.ts'
import type { TailEvent } from './tail.ts'

/** A row in the output of a tail. */
export type TailRow = LogRow & {
  /** Age in ms of a row that arrived after newer ones; undefined for a row in order. */
  readonly lateMs?: number
}

/**
 * Reports the state of a tail on standard error, and passes on its rows. At the end, it writes a summary with the token from which
 * another tail can resume.
 *
 * @param now the platform's time in milliseconds since 1970
 */
export function createReport(line: StatusLine, now: () => number) {
  let hasRead = false
  let hasLost = false
  let rows = 0
  let late = 0
  let latestMs = 0
  let failures = 0
  const counts = () => {
    const ofThem = late > 0 ? `, ${formatCount(late)} of them late (up to ${formatSpan(latestMs)})` : ''
    return `${formatCount(rows)} rows${ofThem}`
  }

  async function report(event: Exclude<TailEvent, { kind: 'row' }>): Promise<void> {
    switch (event.kind) {
      case 'read': {
        hasRead = true
        const failed = failures > 0 ? ` · failed requests: ${formatCount(failures)}` : ''
        return line.show(`${counts()} · ${formatSpan(Math.max(0, now() - event.reached))} behind${failed}`)
      }
      case 'failure':
        failures++
        return line.note(`${event.error.message}; retrying in ${formatSpan(event.pauseMs)}`)
      case 'lost':
        hasLost = true
        return line.note(`LOST: the rows from ${toIso(event.from)} to ${toIso(event.to)}: ${event.why}`)
    }
  }

  return {
    async *rows(events: AsyncIterable<TailEvent>): AsyncGenerator<TailRow, void, void> {
      for await (const event of events) {
        if (event.kind !== 'row') {
          await report(event)
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
    retry(reason: RetryReason) {
      failures++
      line.show(`${counts()} · ${describeRetry(reason)}`).catch(() => {})
    },
    hasLost: () => hasLost,
    // Before the first read, the tail has no position to resume from.
    end: async (token: () => Promise<string>) => {
      if (hasRead || rows > 0) await line.note(`${counts()}. To resume: --resume ${await token()}`)
    },
  }
}

function toIso(ms: number): string {
  return new Date(ms).toISOString()
}
