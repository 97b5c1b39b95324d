import type { LoggingClient } from '../client.ts'
import { maxPageSize, queryParameters } from '../gen/limits.ts'
import { checkOptions, listOptions } from '../options.ts'
import { type Collector, collectParsed, type RowList } from './page.ts'
import { createPageSlots } from './page-slots.ts'
import { parallel, type RowBatch, readRangeParts } from './read-range.ts'
import { type Instant, type ReaderOptions, readerOptions, splitQuery, toMs } from './reader.ts'
import type { LogFilters } from './request-page.ts'

export interface LogsQuery extends LogFilters, ReaderOptions {
  readonly pullZoneId: number | bigint
  /** Start of the range, inclusive, not older than the retention (§8). */
  readonly from: Instant
  /** End of the range, exclusive. Required, because an open end would move with every request. */
  readonly to: Instant
  /** Rows per request, 1 to 10000; 10000 by default. The reader requests fewer if pages get too long, and 10000 for a range of 1 ms. */
  readonly pageSize?: number | undefined
  /** Maximum length of a page in bytes, after decoding; 16 MiB by default. A longer page is requested again with fewer rows. */
  readonly maxPageBytes?: number | undefined
}

/** Options that all range reads of a reader share. */
export interface RowReaderOptions {
  /** Maximum number of pages in memory, over all range reads; 3 by default, at least 2. */
  readonly pages?: number
  /** Maximum number of rows of the first request of a zone; 10000 by default. Later requests depend on the length of its rows. */
  readonly firstRows?: number
}

/** Reads ranges that share one limit of pages in memory. */
export interface RowReader {
  /**
   * Reads a range as `readLogs` does, and returns arrays of rows. Each batch covers whole milliseconds, and the batches are in order.
   * A batch is emptied when the next one is requested, so that no consumer keeps a page in memory. Rows that cannot be read do not end
   * the read: the batch of their millisecond says why they are missing.
   *
   * @param collect creates a collector for each page; by default, rows are handed out as they are
   * @throws RangeError at once for an invalid range or page size; during the read the errors of `readLogs`
   */
  read(query: LogsQuery): AsyncGenerator<RowBatch, void, void>
  read<Rows extends RowList<Rows>>(
    query: LogsQuery,
    collect: () => Collector<Rows>,
  ): AsyncGenerator<RowBatch<Rows>, void, void>
}

const queryOptions = listOptions('A read of logs', [
  ...queryParameters.filter((name) => !['limit', 'offset', 'order'].includes(name)),
  ...['pullZoneId', 'pageSize', 'maxPageBytes', ...readerOptions],
])

/** Creates a reader of many ranges of version 2. */
export function createRowReader(client: LoggingClient, options: RowReaderOptions = {}): RowReader {
  const slots = createPageSlots(options.pages ?? parallel)
  const { firstRows = maxPageSize } = options
  const rowBytes = new Map<string, number>()
  return {
    read<Rows extends RowList<Rows>>(
      query: LogsQuery,
      // Safe: without a collector, the caller gets the default type of rows.
      collect = collectParsed as unknown as () => Collector<Rows>,
    ) {
      checkOptions(query, queryOptions)
      const { source, rest } = splitQuery(client, query)
      const { pullZoneId, from: start, to: end, pageSize = maxPageSize, maxPageBytes = 2 ** 24, ...filters } = rest
      const [from, to] = [toMs('from', start), toMs('to', end)]
      if (from > to) throw new RangeError('from must not be after to')
      if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > maxPageSize) {
        throw new RangeError(`pageSize must be an integer from 1 to ${maxPageSize}`)
      }
      const shared = { ...source, slots, firstRows, rowBytes, collect }
      return readRangeParts({ ...shared, pullZoneId, from, to, filters, pageSize, maxPageBytes })
    },
  }
}
