/** Reads rows of whole log ranges as bytes, in batches, for programs that pass rows on without parsing them. */

import { concat } from './bytes.ts'
import type { LoggingClient } from './client.ts'
import { IncompleteLogsError } from './errors/incomplete-logs-error.ts'
import { ownBudget, type PageBudget } from './logs/budget.ts'
import { cutLines } from './logs/cut-lines.ts'
import { type LogFile, type LogFileQuery, openLogFile, orderCheck, toLogFile } from './logs/log-file.ts'
import { type LogsQuery, toRange } from './logs/read-logs.ts'
import { readRangeParts } from './logs/read-range.ts'
import type { RowBatch } from './logs/row-batch.ts'
import { type LogSource, logSource } from './logs/source.ts'

export { decode } from './bytes.ts'
export type { Grant, PageBudget, PageReservation } from './logs/budget.ts'
export { parseTimestamp } from './logs/instant.ts'
export { parseLines } from './logs/line.ts'
export type { LogFileQuery } from './logs/log-file.ts'
export type { LogsQuery } from './logs/read-logs.ts'
export { queryPath } from './logs/row.ts'
export { type RowBatch, type Rows, rowBytes, sliceRows } from './logs/row-batch.ts'
export { type Redact, redactionFor } from './redact.ts'

/** The rows to read, and the memory budget. */
export interface BatchQuery extends LogsQuery {
  readonly budget?: PageBudget | undefined
}

/**
 * Reads a range of version 2 as `readLogs` does, but returns batches of JSON objects as bytes. Each batch covers whole
 * milliseconds, and the batches are in order.
 *
 * @returns batches; the bytes of a batch are reused when the next batch is requested
 * @throws errors of `readLogs`, except for rows that are not JSON, which are handed out unchanged
 */
export function readBatches(
  client: LoggingClient,
  { budget = ownBudget(), ...query }: BatchQuery,
): AsyncGenerator<RowBatch, void, void> {
  return readRangeParts(logSource(client, query), toRange(query), budget)
}

/**
 * Reads a day file of version 1 as `readLogFile` does, but returns batches of lines as bytes. A batch may end within a
 * millisecond. So `end` is the time of the batch's last line, and the next batch may begin with the same time. The last batch has
 * no lines, and its `end` is the end of the day.
 *
 * @returns batches of lines without line ends; a line without a time gets the time of the previous line (or the start of the
 *   day)
 * @throws errors of `readLogFile`; IncompleteLogsError at the end if no line has a timestamp, because a proxy's page with status
 *   200 must not count as a file without rows
 */
export function readLogFileBatches(client: LoggingClient, query: LogFileQuery): AsyncGenerator<RowBatch, void, void> {
  return readLines(logSource(client, query), toLogFile(query))
}

/** Minimum length of a batch of lines, in bytes. A batch costs its consumer one iteration of the event loop. */
const stretchBytes = 2 ** 19

async function* readLines(source: LogSource, file: LogFile): AsyncGenerator<RowBatch, void, void> {
  const check = orderCheck(file)
  let last = file.start
  let [lines, isLog] = [0, false]
  for await (const bytes of joined(openLogFile(source, file))) {
    const { rows, isTimed } = cutLines(bytes, last)
    if (rows.times.length === 0) continue
    lines += rows.times.length
    isLog ||= isTimed
    rows.times.forEach(check)
    last = rows.times.at(-1) ?? last
    yield { ...rows, end: last }
  }
  if (lines > 0 && !isLog)
    throw new IncompleteLogsError(file.pullZoneId, file.start, file.end, 'the response is not a log file')
  yield { ...cutLines(new Uint8Array(), last).rows, end: file.end }
}

/** Joins chunks of whole lines into longer chunks. The incoming chunks have no line end after their last line. */
async function* joined(
  pieces: AsyncIterable<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  let held: Uint8Array[] = []
  let length = 0
  for await (const piece of pieces) {
    held.push(piece, lineFeed)
    length += piece.length + 1
    if (length < stretchBytes) continue
    yield concat(held)
    held = []
    length = 0
  }
  if (length > 0) yield concat(held)
}

const lineFeed = new Uint8Array([10])
