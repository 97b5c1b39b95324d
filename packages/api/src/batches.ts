/** Rows of whole log ranges as bytes, in batches: for programs that hand them on instead of looking into them. */
import { concat } from './bytes.ts'
import { IncompleteLogsError } from './errors/incomplete-logs-error.ts'
import type { LoggingClient, LoggingClientOptions } from './logging.ts'
import { type Budget, ownBudget } from './logs/budget.ts'
import { cutLines } from './logs/cut-lines.ts'
import { type Cut, cutRows } from './logs/cut-rows.ts'
import { type LogFile, openLogFile, orderCheck, toLogFile } from './logs/log-file.ts'
import { walkParts } from './logs/parts.ts'
import type { LogFileQuery } from './logs/read-log-file.ts'
import { type LogsQuery, toWalk } from './logs/read-logs.ts'
import type { RowBatch } from './logs/row-batch.ts'
import { type Source, sourceOf } from './logs/source.ts'

export { decode } from './bytes.ts'
export { parseJson } from './json.ts'
export type { Budget, Grant, WantedPage } from './logs/budget.ts'
export type { Cut, CutPage } from './logs/cut-rows.ts'
export { parseTimestamp } from './logs/instant.ts'
export { parseLines } from './logs/line.ts'
export type { LogFileQuery } from './logs/read-log-file.ts'
export type { LogsQuery } from './logs/read-logs.ts'
export { queryPath } from './logs/row.ts'
export { type RowBatch, type Rows, rowBytes, sliceRows } from './logs/row-batch.ts'
export { type Redact, redactionFor } from './redact.ts'

/** Which rows to read, and within which bounds of memory. */
export interface BatchQuery extends LogsQuery {
  readonly budget?: Budget | undefined
  /** Finds the rows of a page, and may note more of them than that; `cutRows`, which does not, where absent. */
  readonly cut?: Cut | undefined
}

/**
 * Reads a range of version 2 as `readLogs` does, in batches of JSON objects as bytes: whole milliseconds, in order.
 *
 * @returns batches; the bytes of each are gone when the next one is asked for
 * @throws what `readLogs` throws, except for rows that are no JSON: they are handed out as they came
 */
export function readBatches(
  from: LoggingClient | LoggingClientOptions,
  { budget = ownBudget(), cut = cutRows, ...query }: BatchQuery,
): AsyncGenerator<RowBatch, void, void> {
  return walkParts(sourceOf(from, query), toWalk(query), cut, budget)
}

/**
 * Reads a day file of version 1 as `readLogFile` does, in batches of lines as bytes. A batch may end within a millisecond:
 * `end` is the time of its last line, and the next batch may begin with it; the last `end` is that of the day.
 *
 * @returns batches of lines without their ends; a line without a time has that of the line before it (or of the day's
 *   start)
 * @throws what `readLogFile` throws, and an IncompleteLogsError at the end of a file none of whose lines shows a time: a proxy's page
 *   with status 200 is no file without rows
 */
export function readLogFileBatches(
  from: LoggingClient | LoggingClientOptions,
  query: LogFileQuery,
): AsyncGenerator<RowBatch, void, void> {
  return readLines(sourceOf(from, query), toLogFile(query))
}

/** Batches of lines are about so long, in bytes: shorter ones cost their consumer a turn each. */
const stretchBytes = 2 ** 19

async function* readLines(source: Source, file: LogFile): AsyncGenerator<RowBatch, void, void> {
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
    throw new IncompleteLogsError(file.pullZoneId, file.start, file.end, 'the answer is no log file')
  yield { ...cutLines(new Uint8Array(), last).rows, end: file.end }
}

/** Puts pieces of whole lines, the last of which lacks its end, together to longer ones. */
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
