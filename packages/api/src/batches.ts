/** Rows of whole log ranges as bytes, in batches: for programs that hand them on instead of looking into them. */
import type { LoggingClient, LoggingClientOptions } from './logging.ts'
import { type Budget, ownBudget } from './logs/budget.ts'
import { cutLines } from './logs/cut-lines.ts'
import { cutPage } from './logs/cut-page.ts'
import { type LogFile, openLogFile, orderCheck, toLogFile } from './logs/log-file.ts'
import { walkParts } from './logs/parts.ts'
import type { LogFileQuery } from './logs/read-log-file.ts'
import { type LogsQuery, toWalk } from './logs/read-logs.ts'
import type { RowBatch } from './logs/row-batch.ts'
import { type Source, sourceOf } from './logs/source.ts'

export { decode } from './bytes.ts'
export { parseJson } from './json.ts'
export type { Budget, Grant, WantedPage } from './logs/budget.ts'
export { cutPage } from './logs/cut-page.ts'
export { parseLines } from './logs/line.ts'
export type { LogFileQuery } from './logs/read-log-file.ts'
export type { LogsQuery } from './logs/read-logs.ts'
export { queryPath } from './logs/row.ts'
export { type RowBatch, type Rows, rowBytes, sliceRows } from './logs/row-batch.ts'
export { type Redact, redactionFor } from './redact.ts'

/** Which rows to read, and within which bounds of memory. */
export interface BatchQuery extends LogsQuery {
  readonly budget?: Budget | undefined
}

/**
 * Reads a range of version 2 as `readLogs` does, in batches of JSON objects as bytes: whole milliseconds, in order.
 *
 * @returns batches; the bytes of each are gone when the next one is asked for
 * @throws what `readLogs` throws, except for rows that are no JSON: they are handed out as they came
 */
export function readBatches(
  from: LoggingClient | LoggingClientOptions,
  { budget = ownBudget(), ...query }: BatchQuery,
): AsyncGenerator<RowBatch, void, void> {
  return walkParts(sourceOf(from, query), toWalk(query), cutPage, budget)
}

/**
 * Reads a day file of version 1 as `readLogFile` does, in batches of lines as bytes. A batch may end within a millisecond:
 * `end` is the time of its last line, and the next batch may begin with it; the last `end` is that of the day.
 *
 * @returns batches of lines without their ends; a line without a time has that of the line before it (or of the day's
 *   start)
 * @throws what `readLogFile` throws
 */
export function readLogFileBatches(
  from: LoggingClient | LoggingClientOptions,
  query: LogFileQuery,
): AsyncGenerator<RowBatch, void, void> {
  return readLines(sourceOf(from, query), toLogFile(query))
}

async function* readLines(source: Source, file: LogFile): AsyncGenerator<RowBatch, void, void> {
  const check = orderCheck(file)
  let last = file.start
  for await (const bytes of openLogFile(source, file)) {
    const rows = cutLines(bytes, last)
    if (rows.times.length === 0) continue
    rows.times.forEach(check)
    last = rows.times.at(-1) ?? last
    yield { ...rows, end: last }
  }
  yield { ...cutLines(new Uint8Array(), last), end: file.end }
}
