import type { RowBatch } from '../rows/batch.ts'

/** What the engine reads a zone through; requests wait for the zone's limiter and are retried within. Times in ms since 1970. */
export interface Reader {
  /**
   * Walks `[from, to)` of v2 by time, with the margin of 1 ms on both sides.
   *
   * @throws LoggingError (400 at the edge of the retention), TransportError, IncompleteLogsError
   */
  walk(zone: string, from: number, to: number, signal: AbortSignal): AsyncIterable<RowBatch>
  /**
   * Looks whether `[from, to)` has exactly `rows` rows, with one request (`offset = rows - 1, limit = 2` must give one row).
   *
   * @returns false where it has another number of them
   */
  hasRows(zone: string, from: number, to: number, rows: number, signal: AbortSignal): Promise<boolean>
  /**
   * Reads the file of v1 of the UTC day that holds `day`, ascending. A batch may end within a millisecond; a line without a
   * time has that of the line before it, and is for the encoder to reject.
   */
  dayFile(zone: string, day: number, signal: AbortSignal): AsyncIterable<RowBatch>
  /** The clock of the platform, by the `Date` of its answers; the machine's own until the first. */
  now(): number
  /**
   * Begins the limiter of a zone anew, for one that another process may have asked about before.
   *
   * @param busyUntil what the ledger says: until when the rate limit may be used up; `Infinity` where nobody knows, so that a
   *   window of the limit and the longest request are waited for; undefined where nobody has asked before
   */
  takeOver(zone: string, busyUntil: number | undefined): void
  /** What to record for a successor: when the last slot of the zone is free again at the latest. */
  busyUntil(zone: string): number
}
