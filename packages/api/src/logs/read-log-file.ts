import type { LoggingClient, LoggingClientOptions } from '../logging.ts'
import type { Instant } from './instant.ts'
import { type LogFileRow, type MalformedLine, parseLines } from './line.ts'
import { type FileFilters, type LogFile, openLogFile, orderCheck, toLogFile } from './log-file.ts'
import { type ReaderOptions, type Source, sourceOf } from './source.ts'

/** Which day file to read; `start`, `end`, `status` and `search` as the contract has them. */
export interface LogFileQuery extends FileFilters, ReaderOptions {
  readonly pullZoneId: number | bigint
  /** Any point of the UTC day, for example `2026-11-20`. */
  readonly date: Instant
  /** Whether the zone has extended logging (15 fields a line) or not (12); either is taken where absent. */
  readonly extended?: boolean | undefined
  /** Takes lines in any order. Without it lines that go back in time end the reading. */
  readonly anyOrder?: boolean | undefined
}

/**
 * Reads a day file of version 1 (§4.4), oldest line first, in constant memory. Troubles before the first byte are
 * retried, 5 attempts; a body that breaks off later is an error, since what was handed out cannot be taken back.
 *
 * @param from a client, or the options of one
 * @param query the file, and how to read it
 * @returns rows, and lines that do not parse as `{ malformed: true, text }`; blank lines are skipped
 * @throws RangeError at once for a date that is none, TypeError for options that cannot be used; while reading a
 *   LoggingError, a TransportError, an IncompleteLogsError where the lines are not in the order asked for, or the
 *   signal's reason
 */
export function readLogFile(
  from: LoggingClient | LoggingClientOptions,
  query: LogFileQuery,
): AsyncGenerator<LogFileRow | MalformedLine, void, void> {
  return readRows(sourceOf(from, query), toLogFile(query))
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

async function* readRows(source: Source, file: LogFile): AsyncGenerator<LogFileRow | MalformedLine, void, void> {
  const check = orderCheck(file)
  for await (const lines of openLogFile(source, file)) {
    for (const row of parseLines(decoder.decode(lines), file.extended)) {
      if (!row.malformed) check(row.timestamp)
      yield row
    }
  }
}
