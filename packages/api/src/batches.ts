/** Reads rows of whole log ranges as bytes, in batches, for programs that pass rows on without parsing them. */

import type { LoggingClient } from './client.ts'
import { IncompleteLogsError } from './errors/incomplete-logs-error.ts'
import { cutLines } from './logs/cut-lines.ts'
import { type LogFile, type LogFileQuery, openLogFile, orderCheck, toLogFile } from './logs/log-file.ts'
import type { RowBatch } from './logs/page.ts'
import type { PageMemory } from './logs/page-memory.ts'
import { type LogsQuery, toRange } from './logs/read-logs.ts'
import { readRangeParts } from './logs/read-range.ts'

export { decode } from './bytes.ts'
export { parseLines } from './logs/line.ts'
export type { LogFileQuery } from './logs/log-file.ts'
export { type RowBatch, type Rows, rowBytes } from './logs/page.ts'
export { createPageMemory, type PageMemory } from './logs/page-memory.ts'
export type { LogsQuery } from './logs/read-logs.ts'
export { queryPath } from './logs/request-page.ts'
export { type Redact, redactionFor } from './redact.ts'

/** The rows to read. */
export interface BatchQuery extends LogsQuery {
  /** Memory that several range reads share; by default, each has its own. */
  readonly memory?: PageMemory | undefined
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
  { memory, ...query }: BatchQuery,
): AsyncGenerator<RowBatch, void, void> {
  return readRangeParts({ ...toRange(client, query), ...(memory && { memory }) })
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
  return readLines(toLogFile(client, query))
}

/** Minimum length of a batch of lines, in bytes. A batch costs its consumer one iteration of the event loop. */
const batchBytes = 2 ** 19

async function* readLines(file: LogFile): AsyncGenerator<RowBatch, void, void> {
  const check = orderCheck(file)
  let last = file.start
  let [lines, isLog] = [0, false]
  for await (const bytes of openLogFile(file, batchBytes)) {
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
