import type { RowBatch as ApiRowBatch } from '@cdn/api/batches'
import type { Window } from '../segments/segment.ts'

/**
 * A page of a zone's rows as bytes, with the start, end and time of each row: JSON objects of version 2, or lines of version 1.
 * Every row before `end` is in this page or an earlier one. The bytes are reused when the next page is requested.
 */
export type LineBatch = Pick<ApiRowBatch, 'bytes' | 'starts' | 'ends' | 'times' | 'end'>

/** Source of a zone's rows. Requests wait for the zone's limiter, and are retried. Times are in ms since 1970. */
export interface WindowReader {
  /**
   * Reads `[from, to)` of v2 by time, with a margin of 1 ms on both sides.
   *
   * @throws ApiError (400 at the edge of the retention), TransportError, IncompleteLogsError
   */
  readRange(zone: string, from: number, to: number, signal: AbortSignal): AsyncIterable<LineBatch>
  /**
   * Checks with one request whether a window has exactly `rows` rows: `offset = rows - 1, limit = 2` must return one row. An empty
   * page with `null` is requested twice.
   *
   * @returns false for another number of rows
   */
  hasRows(window: Window, rows: number, signal: AbortSignal): Promise<boolean>
  /**
   * Reads the v1 file of the UTC day that contains `day`, ascending. A batch may end in the middle of a millisecond. A line without
   * a time gets the time of the line before it. The encoder rejects such a line.
   */
  dayFile(zone: string, day: number, signal: AbortSignal): AsyncIterable<LineBatch>
  /** The platform's clock, from the `Date` of its responses. Until `synchronize` resolves, the machine's clock. */
  now(): number
  /** The latest time shown by the platform; -Infinity before the first response. The ledger must not record later times. */
  shownTime(): number
  /**
   * Ensures that a response of the last 15 minutes confirms the platform's clock. If none does, sends a request. Sends another one
   * if the response contradicts the known time.
   *
   * @param zone the pull zone of the request
   * @throws Error if the platform does not answer, or its responses show no time
   */
  synchronize(zone: string, signal: AbortSignal): Promise<void>
}
