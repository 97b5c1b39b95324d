import { parseJson } from '@cdn/kit/json'
import { decode } from '../bytes.ts'
import type { LoggingClient } from '../client.ts'
import { IncompleteLogsError } from '../errors/incomplete-logs-error.ts'
import { maxPageSize } from '../gen/limits.ts'
import type { components } from '../gen/logging.ts'
import { type RowBatch, type Rows, rowBytes } from './page.ts'
import { createPageMemory } from './page-memory.ts'
import { readRangeParts } from './read-range.ts'
import { type Instant, type ReaderOptions, toMs } from './reader.ts'
import type { LogFilters, LogRange } from './request-page.ts'

/** One request, as version 2 shows it. Unknown fields and cache statuses are passed on unchanged. */
export interface LogRow extends Readonly<LogEntry> {
  readonly [field: string]: unknown
}
type LogEntry = components['schemas']['LogEntry']

/** The rows to read. */
export interface LogsQuery extends LogFilters, ReaderOptions {
  readonly pullZoneId: number | bigint
  /** Start of the range, inclusive, not older than the retention (§8). */
  readonly from: Instant
  /** End of the range, exclusive. Required, because an open end would move with every request. */
  readonly to: Instant
  /** Rows per request, 1 to 10000; 10000 by default. */
  readonly pageSize?: number | undefined
  /** Maximum length of a page in bytes, after decoding; 16 MiB by default. A longer page is requested again with fewer rows. */
  readonly maxPageBytes?: number | undefined
}

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
 * retried, with up to 5 attempts per request. If the platform fails, the reader requests shorter ranges. Up to three parts of the
 * range are requested concurrently. Memory holds at most one page per part until its rows are taken.
 *
 * Each request has a margin of 1 ms on both sides, because a server may round the timestamps that it shows. If the range begins at
 * the edge of the retention, the platform refuses the margin before the start. The request is then repeated without this margin.
 *
 * @param client of the logging interface
 * @param query the range, filters, and options of the read
 * @returns the rows; an early exit from the loop is fine
 * @throws RangeError at once for an invalid range or page size; during the read an ApiError, a TransportError, an
 *   IncompleteLogsError with the gap, or the signal's reason
 */
export function readLogs(client: LoggingClient, query: LogsQuery): LogReader {
  const range = toRange(client, query)
  return withResume(readRangeParts(range), range)
}

/**
 * Checks a query.
 *
 * @returns the range, with memory for six pages, three of which are read ahead
 * @throws RangeError for an invalid range or page size
 */
export function toRange(client: LoggingClient, query: LogsQuery): LogRange {
  const { signal, idleMs, onRetry, sleep, pullZoneId, pageSize = maxPageSize, maxPageBytes = 2 ** 24, ...rest } = query
  const { from: start, to: end, ...filters } = rest
  const [from, to] = [toMs('from', start), toMs('to', end)]
  if (from > to) throw new RangeError('from must not be after to')
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > maxPageSize) {
    throw new RangeError(`pageSize must be an integer from 1 to ${maxPageSize}`)
  }
  const memory = createPageMemory(6 * maxPageBytes, maxPageBytes)
  const options = { client, signal, idleMs, onRetry, sleep }
  return { ...options, memory, pullZoneId, from, to, filters, pageSize, maxPageBytes }
}

/** Hands out rows one by one, and parses each row only when it is handed out. Also maintains `resume`. */
function withResume(batches: AsyncIterable<RowBatch>, { pullZoneId, from }: LogRange): LogReader {
  let position = from
  async function* read(): AsyncGenerator<LogRow, void, void> {
    for await (const batch of batches) {
      const { times } = batch
      for (let n = 0; n < times.length; n++) {
        const time = times[n] as number // within bounds
        const row = parseRow(batch, n)
        if (!row) throw new IncompleteLogsError(pullZoneId, time, time + 1, 'a row is not JSON')
        position = times[n + 1] === time ? time : time + 1
        yield row
      }
      position = batch.end
    }
  }
  // A LogReader is the generator with the property `resume`, which is defined here.
  return Object.defineProperty(read(), 'resume', { get: () => new Date(position).toISOString() }) as LogReader
}

function parseRow(rows: Rows, n: number): LogRow | undefined {
  try {
    return parseJson(decode(rowBytes(rows, n))) as LogRow // as the contract states it; not validated
  } catch {
    return undefined // the parser's message quotes the row, which may hold a visitor's credential
  }
}
