import type { LoggingClient } from '../logging-client.ts'
import { type LogFileRow, type MalformedLine, parseLines } from './line.ts'
import { type LogFile, type LogFileQuery, openLogFile, orderCheck, toLogFile } from './log-file.ts'
import { type LogSource, logSource } from './source.ts'

/**
 * Reads a day file of version 1 (§4.4), oldest line first, in constant memory. Transient errors before the first byte are
 * retried, with 5 attempts in total. A truncated body is not retried, because rows were already handed out.
 *
 * @param client of the logging interface
 * @param query the file, and options of the read
 * @returns rows; a line that cannot be parsed becomes `{ malformed: true, text }`; blank lines are skipped
 * @throws RangeError at once for an invalid date; during the read an ApiError, a TransportError, an IncompleteLogsError if the
 *   lines are not in the requested order, or the signal's reason
 */
export function readLogFile(
  client: LoggingClient,
  query: LogFileQuery,
): AsyncGenerator<LogFileRow | MalformedLine, void, void> {
  return readRows(logSource(client, query), toLogFile(query))
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

async function* readRows(source: LogSource, file: LogFile): AsyncGenerator<LogFileRow | MalformedLine, void, void> {
  const check = orderCheck(file)
  for await (const lines of openLogFile(source, file)) {
    for (const row of parseLines(decoder.decode(lines), file.extended)) {
      if (!row.malformed) check(row.timestamp)
      yield row
    }
  }
}
