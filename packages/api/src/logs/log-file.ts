import { dayMs } from '@cdn/kit/time'
import type { LoggingClient } from '../client.ts'
import { IncompleteLogsError } from '../errors/incomplete-logs-error.ts'
import { bodyError } from '../errors/transport-error.ts'
import { describeResponse } from '../fetch/call.ts'
import { isTransient } from '../fetch/with-retry.ts'
import { fileParameters } from '../gen/limits.ts'
import type { paths } from '../gen/logging.ts'
import { checkOptions, listOptions } from '../options.ts'
import { type LogFileRow, type MalformedLine, parseLine } from './line.ts'
import {
  type Instant,
  type LogSource,
  type ReaderOptions,
  readerOptions,
  sendForReader,
  splitQuery,
  toMs,
} from './reader.ts'

const filePath = '/{date}/{pullZoneId}.log'

/** The filters of version 1. */
export type FileFilters = Readonly<
  Omit<NonNullable<paths[typeof filePath]['get']['parameters']['query']>, 'sort' | 'download'>
>

/** The day file to read. `start`, `end`, `status` and `search` are the filters of the contract. */
export interface LogFileQuery extends FileFilters, ReaderOptions {
  readonly pullZoneId: number | bigint
  /** Any time of the UTC day, for example `2026-11-20`. */
  readonly date: Instant
  /** Accepts lines in any order. By default, the read fails if a line is earlier than the line before it. */
  readonly anyOrder?: boolean | undefined
}

const fileOptions = listOptions('A read of a day file', [
  ...fileParameters.filter((name) => !['sort', 'download'].includes(name)),
  ...['pullZoneId', 'date', 'anyOrder', ...readerOptions],
])

/** A line as it was received, without its line end, and the row that it shows. */
export interface LogLine {
  readonly text: string
  readonly row: LogFileRow | MalformedLine
}

/**
 * Reads a day file of version 1 (§4.4), oldest line first, in constant memory. Transient errors before the response are retried, as
 * often as the client does (5 attempts by default). A truncated body is not retried, because rows were already handed out. A file
 * without lines is accepted only after a second response confirms it, because a failing platform may also send an empty response.
 *
 * @param client of the logging interface
 * @param query the file, and options of the read
 * @returns rows; a line that cannot be parsed, or whose time is more than 1 s outside the day of the file, becomes
 *   `{ malformed: true, text }`; blank lines are skipped
 * @throws RangeError at once for an invalid date; during the read an ApiError, a TransportError, an IncompleteLogsError if the
 *   lines are not in the requested order or none of them can belong to the file, or the signal's reason
 */
export function readLogFile(
  client: LoggingClient,
  query: LogFileQuery,
): AsyncGenerator<LogFileRow | MalformedLine, void, void> {
  return eachRow(readLogLines(client, query), query.signal)
}

async function* eachRow(pieces: AsyncIterable<readonly LogLine[]>, signal: AbortSignal | undefined) {
  for await (const lines of pieces)
    for (const { row } of lines) {
      signal?.throwIfAborted()
      yield row
    }
}

/** Reads a day file as `readLogFile` does, and returns arrays of lines with their texts, as they arrive. */
export function readLogLines(
  client: LoggingClient,
  query: LogFileQuery,
): AsyncGenerator<readonly LogLine[], void, void> {
  checkOptions(query, fileOptions)
  const { source, rest } = splitQuery(client, query)
  const { pullZoneId, date, anyOrder = false, ...filters } = rest
  const start = Math.floor(toMs('date', date) / dayMs) * dayMs
  return readLines({ ...source, pullZoneId, start, end: start + dayMs, filters, anyOrder })
}

/** A day file to read: `start` and `end` (exclusive) of its day in ms, and its filters. */
interface LogFile extends LogSource {
  readonly pullZoneId: number | bigint
  readonly start: number
  readonly end: number
  readonly filters: FileFilters
  readonly anyOrder: boolean
}

async function* readLines(file: LogFile): AsyncGenerator<readonly LogLine[], void, void> {
  const { pullZoneId, start, end, anyOrder } = file
  let latest = Number.NEGATIVE_INFINITY
  let [count, malformed] = [0, 0]
  const toLine = (text: string): LogLine => {
    const row = parseLine(text)
    const isOnDay = !row.malformed && row.timestamp >= start - roundingMs && row.timestamp < end + roundingMs
    count++
    if (!isOnDay) malformed++
    return { text, row: isOnDay ? row : { malformed: true, text } }
  }
  for (let time = 0; time < 2 && count === 0; time++)
    for await (const texts of readOnce(file)) {
      const lines: LogLine[] = []
      for (const each of texts) {
        const text = each.replace(/\r$/, '')
        if (text.trim() === '') continue
        const line = toLine(text)
        if (!line.row.malformed && line.row.timestamp < latest && !anyOrder) {
          yield lines
          // Without an order, no part of the file is known to be complete.
          throw new IncompleteLogsError(pullZoneId, start, end, 'the lines are not in the requested order')
        }
        latest = line.row.malformed ? latest : line.row.timestamp
        lines.push(line)
      }
      yield lines
    }
  if (count > 0 && malformed === count)
    throw new IncompleteLogsError(pullZoneId, start, end, 'the response is not the log file of this day')
}

/** Times may be rounded, and clocks of servers differ, so a line near midnight may be in either file. In ms. */
const roundingMs = 1000

async function* readOnce(file: LogFile): AsyncGenerator<readonly string[], void, void> {
  const { client, signal, pullZoneId, start, filters } = file
  const params = { path: { date: toDay(start), pullZoneId }, query: { ...filters, sort: 'asc' as const } }
  const response = await sendForReader<Response>(file, {
    send: (init) => client.GET(filePath, { ...init, params }),
    read: (response) => response,
    mayHelp: isTransient,
  })
  if (!response.body) return
  const length = response.headers.get('Content-Length')
  // With a content encoding, `Content-Length` counts the encoded bytes, and the runtime's decoder detects truncation.
  const expectedBytes = length === null || response.headers.has('Content-Encoding') ? undefined : Number(length)
  try {
    yield* linesOf(response.body, expectedBytes, (what) => bodyError(describeResponse(response), what))
  } catch (cause) {
    signal?.throwIfAborted()
    throw cause
  }
}

function toDay(ms: number): string {
  return new Date(ms).toISOString().replace(/^..(..)-(..)-(..).*/, '$2-$3-$1')
}

/** Maximum length of a line in characters. Without this limit, a file without line ends would be held in memory as a whole. */
const maxLineLength = 1_000_000

/**
 * @param expectedBytes length of the body, if known; needed because not every fetch detects a truncated body
 * @param toError creates the error of a line that is too long, and of a body whose length differs from `expectedBytes`
 * @throws the error of `toError`; errors of the body
 */
async function* linesOf(
  body: ReadableStream<Uint8Array>,
  expectedBytes: number | undefined,
  toError: (what: string) => Error,
): AsyncGenerator<string[], void, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let rest = ''
  let bytes = 0
  try {
    for (;;) {
      const { value: chunk } = await reader.read()
      if (!chunk) break
      bytes += chunk.length
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      if (lines.length > 0) yield lines
      if (rest.length > maxLineLength) throw toError('has a line of more than a million characters')
    }
    if (bytes !== (expectedBytes ?? bytes)) throw toError(`is incomplete: ${bytes} of ${expectedBytes} bytes arrived`)
    yield [rest + decoder.decode()]
  } finally {
    reader.cancel().catch(() => {})
  }
}
