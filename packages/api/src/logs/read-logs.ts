import { IncompleteLogsError } from '../errors/incomplete-logs-error.ts'
import { largestPage } from '../gen/limits.ts'
import type { LoggingClient, LoggingClientOptions } from '../logging.ts'
import type { Walk } from './ask.ts'
import { ownBudget } from './budget.ts'
import { cutRows } from './cut-rows.ts'
import { type Instant, toMs } from './instant.ts'
import { walkParts } from './parts.ts'
import type { LogFilters, LogRow } from './row.ts'
import { parseRow, type RowBatch } from './row-batch.ts'
import { type ReaderOptions, sourceOf } from './source.ts'

/** Which rows to read. */
export interface LogsQuery extends LogFilters, ReaderOptions {
  readonly pullZoneId: number | bigint
  /** Start of the range, inclusive, not older than the retention (§8). */
  readonly from: Instant
  /** End of the range, exclusive. It is pinned: an open end would move with every request. */
  readonly to: Instant
  /** Rows a request, 1 to 10000; the most where absent. */
  readonly pageSize?: number | undefined
  /** A token of an earlier reading of the same range: rows before it are left out. */
  readonly resume?: string | undefined
}

/** Rows, one by one. */
export interface LogReader extends AsyncGenerator<LogRow, void, void> {
  /**
   * A timestamp from which another reading can go on: every row before it has been handed out. Between two rows of one
   * millisecond it is that millisecond, which then comes again as a whole.
   */
  readonly resume: string
}

/**
 * Reads the rows of a range of version 2 (§4.3), oldest first: every row that is visible at the first request once, and
 * those that arrive during the walk at most once. Troubles that may pass (429, 5xx, broken connections, answers that
 * contradict themselves) are retried, 5 attempts each; where the platform fails, less is asked for. Up to three parts of the
 * range are asked for at once, and rows wait until they are taken, at most a page of each part.
 *
 * The server is asked for 1 ms more on both sides, since it may round the timestamps that it shows. Where the range
 * begins at the edge of the retention, the millisecond before it is refused; the range is then asked for as it is.
 *
 * @param from a client, or the options of one
 * @param query the range, filters, and how to read
 * @returns the rows; leaving the loop early is fine
 * @throws RangeError at once for a range or page size that cannot be, TypeError for options that cannot be used; while
 *   reading a LoggingError, a TransportError, an IncompleteLogsError that names the gap, or the signal's reason
 */
export function readLogs(from: LoggingClient | LoggingClientOptions, query: LogsQuery): LogReader {
  const walk = toWalk(query)
  return withResume(walkParts(sourceOf(from, query), walk, cutRows, ownBudget()), walk)
}

/**
 * Checks a query.
 *
 * @throws RangeError where it cannot be
 */
export function toWalk(query: LogsQuery): Walk {
  const { pullZoneId, from: start, to: end, pageSize = largestPage, resume, ...rest } = query
  const { signal: _, idleMs: __, sleep: ___, ...filters } = rest
  const to = toMs('to', end)
  const asked = toMs('from', start)
  if (asked > to) throw new RangeError('from must not lie after to')
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > largestPage) {
    throw new RangeError(`pageSize must be an integer from 1 to ${largestPage}`)
  }
  const begin = resume === undefined ? asked : Math.max(asked, toMs('resume', resume))
  return { pullZoneId, from: begin, to, filters, pageSize }
}

/** Hands out rows one by one, makes objects of them only then, and keeps the resume token. */
function withResume(batches: AsyncIterable<RowBatch>, { pullZoneId, from }: Walk): LogReader {
  let position = from
  async function* read(): AsyncGenerator<LogRow, void, void> {
    for await (const batch of batches) {
      const { times } = batch
      for (let n = 0; n < times.length; n++) {
        const time = times[n] as number
        const row = parseRow(batch, n)
        if (!row) throw new IncompleteLogsError(pullZoneId, time, time + 1, 'a row is no JSON')
        position = times[n + 1] === time ? time : time + 1
        yield row
      }
      position = batch.end
    }
  }
  return Object.defineProperty(read(), 'resume', { get: () => new Date(position).toISOString() }) as LogReader
}
