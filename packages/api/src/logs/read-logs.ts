import { isRecord } from '@cdn/kit/record'
import type { LoggingClient } from '../client.ts'
import { IncompleteLogsError } from '../errors/incomplete-logs-error.ts'
import type { components } from '../gen/logging.ts'
import type { CacheStatus } from './cache-status.ts'
import { stringifyEntry } from './page.ts'
import type { RowBatch } from './read-range.ts'
import { toMs } from './reader.ts'
import { createRowReader, type LogsQuery } from './row-reader.ts'

/**
 * One request, as version 2 shows it. Unknown fields and cache statuses are passed on unchanged. Rows are not validated: a row whose
 * timestamp cannot be read is handed out as it is, next to the rows around it (in rare cases twice, because nothing shows whether it
 * belongs to one page or the next). An entry that is not an object becomes `{ malformed: true, text }`.
 */
export interface LogRow extends Readonly<LogEntry> {
  readonly cacheStatus?: CacheStatus | null
  readonly [field: string]: unknown
}
type LogEntry = components['schemas']['LogEntry']

/** Rows, one by one. */
export interface LogReader extends AsyncGenerator<LogRow, void, void> {
  /**
   * A timestamp from which another read can resume, as its `from`. Every earlier row has been handed out. Between two rows of the same
   * millisecond, the timestamp is that millisecond, and the next read repeats all its rows.
   */
  readonly resume: string
}

/**
 * Reads the rows of a range of version 2 (§4.3), oldest first. Every row that is visible at the first request is read once. A row
 * that arrives during the read is read at most once. Transient errors (429, 5xx, broken connections, inconsistent responses) are
 * retried as often as the client does (5 attempts per request by default). If the platform or the connection fails, the reader makes
 * two attempts and then halves the range, down to a millisecond: at most 49 requests for a day that stays broken, and 10 time-outs for a
 * silent platform. With `retry: false`, the first failure ends the read. Up to three parts of the
 * range are requested concurrently. Memory holds at most one page per part until its rows are taken.
 *
 * Each request has a margin of 1 ms on both sides, because a server may round the timestamps that it shows. If the range begins at
 * the edge of the retention, the platform refuses the margin before the start. The request is then repeated without this margin.
 *
 * @param client of the logging interface
 * @param query the range, filters, and options of the read
 * @returns the rows; leaving the loop early ends the pending requests
 * @throws RangeError at once for an invalid range or page size; during the read an ApiError, a TransportError, an
 *   IncompleteLogsError with the gap, or the signal's reason
 */
export function readLogs(client: LoggingClient, query: LogsQuery): LogReader {
  return withResume(createRowReader(client).read(query), query)
}

function withResume(batches: AsyncIterable<RowBatch>, { from, pullZoneId, signal }: LogsQuery): LogReader {
  let position = toMs('from', from)
  async function* read(): AsyncGenerator<LogRow, void, void> {
    for await (const batch of batches) {
      if (batch.unread) throw new IncompleteLogsError(pullZoneId, position, batch.end, batch.unread)
      const { rows, times } = inOrder(batch, position)
      for (const [n, row] of rows.entries()) {
        signal?.throwIfAborted()
        const time = times[n] as number // within bounds
        position = times[n + 1] === time ? time : time + 1
        yield row as LogRow // as the contract states it; not validated
      }
      position = batch.end
    }
  }
  // A LogReader is the generator with the property `resume`, which is defined here.
  return Object.defineProperty(read(), 'resume', { get: () => new Date(position).toISOString() }) as LogReader
}

/** The readable and unreadable rows of a batch, each unreadable row after the row that it followed in the page. */
function inOrder({ rows, times, unreadable }: RowBatch, from: number) {
  if (unreadable.length === 0) return { rows, times }
  const strays = unreadable.map(({ value, after }) => {
    const row = isRecord(value) ? value : { malformed: true, text: stringifyEntry(value) ?? '' }
    return { row, time: Math.max(after, from) }
  })
  const all = [...rows.map((row, n) => ({ row, time: times[n] as number })), ...strays] // within bounds
  all.sort((a, b) => a.time - b.time)
  return { rows: all.map(({ row }) => row), times: all.map(({ time }) => time) }
}
