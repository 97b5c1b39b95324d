import { dayMs } from '@cdn/kit/time'
import { concat } from '../bytes.ts'
import type { LoggingClient } from '../client.ts'
import { IncompleteLogsError } from '../errors/incomplete-logs-error.ts'
import { bodyError } from '../errors/transport-error.ts'
import { isTransient } from '../fetch/with-retry.ts'
import type { paths } from '../gen/logging.ts'
import { type LogFileRow, type MalformedLine, parseLines } from './line.ts'
import { type Instant, type ReaderOptions, sendForReader, toMs } from './reader.ts'

const filePath = '/{date}/{pullZoneId}.log'

type Bytes = Uint8Array<ArrayBuffer>

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

/** A day file to read: `start` and `end` (exclusive) of its day in ms, and its filters. */
export type LogFile = ReturnType<typeof toLogFile>

/**
 * Checks a query.
 *
 * @throws RangeError for an invalid date
 */
export function toLogFile(client: LoggingClient, query: LogFileQuery) {
  const { signal, idleMs, onRetry, sleep, pullZoneId, date, anyOrder = false, ...filters } = query
  const start = Math.floor(toMs('date', date) / dayMs) * dayMs
  return { client, signal, idleMs, onRetry, sleep, pullZoneId, start, end: start + dayMs, filters, anyOrder }
}

/**
 * Opens a day file. Transient errors before the first byte are retried. A file without lines is accepted only after a second
 * response confirms it, because a failing platform may also send an empty response.
 *
 * @param minBytes length of a chunk that is waited for; by default, lines are passed on as they arrive
 * @returns chunks of whole lines
 * @throws the errors of a read, except for lines in the wrong order, which `orderCheck` detects
 */
export async function* openLogFile(file: LogFile, minBytes = 0): AsyncGenerator<Bytes, void, void> {
  let isEmpty = true
  for (let time = 0; time < 2 && isEmpty; time++) {
    for await (const piece of readOnce(file, minBytes)) {
      isEmpty = false
      yield piece
    }
  }
}

async function* readOnce(file: LogFile, minBytes: number): AsyncGenerator<Bytes, void, void> {
  const { client, signal, pullZoneId, start, filters } = file
  const params = { path: { date: toDay(start), pullZoneId }, query: { ...filters, sort: 'asc' as const } }
  const response = await sendForReader<Response>(file, {
    operation: `GET ${filePath}`,
    send: (init) => client.GET(filePath, { ...init, params }),
    read: (response) => response,
    mayHelp: isTransient,
  })
  if (!response.body) return
  const length = response.headers.get('Content-Length')
  // With a content encoding, `Content-Length` counts the encoded bytes, and the runtime's decoder detects truncation.
  const expectedBytes = length === null || response.headers.has('Content-Encoding') ? undefined : Number(length)
  try {
    yield* wholeLines(response.body, expectedBytes, minBytes)
  } catch (cause) {
    signal?.throwIfAborted()
    throw cause instanceof RangeError ? bodyError(response, cause.message, cause) : cause
  }
}

/**
 * Creates a check that lines are in the requested order.
 *
 * @returns a function to call with the time of each line, in ms
 */
export function orderCheck({ pullZoneId, end, anyOrder }: LogFile): (time: number) => void {
  let latest = Number.NEGATIVE_INFINITY
  return (time) => {
    if (time < latest && !anyOrder) {
      throw new IncompleteLogsError(pullZoneId, latest, end, 'the lines are not in the requested order')
    }
    latest = time
  }
}

function toDay(ms: number): string {
  return new Date(ms).toISOString().replace(/^..(..)-(..)-(..).*/, '$2-$3-$1')
}

/** Maximum length of a line in bytes. Without this limit, a file without line ends would be held in memory as a whole. */
const maxLineBytes = 1_048_576

/**
 * Splits a body at line ends, and keeps only an unfinished line.
 *
 * @param expectedBytes length of the body, if known; needed because not every fetch detects a truncated body
 * @param minBytes length that is waited for; 0 passes lines on as they arrive
 * @returns chunks of whole lines
 * @throws RangeError if a line is longer than 1 MiB, or if the length of the body differs from `expectedBytes`; errors of the body
 */
async function* wholeLines(
  body: ReadableStream<Bytes>,
  expectedBytes: number | undefined,
  minBytes: number,
): AsyncGenerator<Bytes, void, void> {
  const reader = body.getReader()
  let parts: Bytes[] = []
  let [length, bytes] = [0, 0]
  try {
    for (;;) {
      const { value: chunk } = await reader.read()
      if (!chunk) break
      bytes += chunk.length
      length += chunk.length
      parts.push(chunk)
      if (length < minBytes) continue
      const piece = concat(parts)
      const end = piece.lastIndexOf(10)
      parts = [piece.subarray(end + 1)]
      length = piece.length - end - 1
      if (end !== -1) yield piece.subarray(0, end)
      if (length > maxLineBytes) throw new RangeError('has a line of more than 1 MiB')
    }
    if (bytes !== (expectedBytes ?? bytes))
      throw new RangeError(`is incomplete: ${bytes} of ${expectedBytes} bytes arrived`)
    if (length > 0) yield concat(parts)
  } finally {
    await reader.cancel().catch(() => {})
  }
}

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
  return readRows(toLogFile(client, query))
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

async function* readRows(file: LogFile): AsyncGenerator<LogFileRow | MalformedLine, void, void> {
  const check = orderCheck(file)
  for await (const lines of openLogFile(file)) {
    for (const row of parseLines(decoder.decode(lines))) {
      if (!row.malformed) check(row.timestamp)
      yield row
    }
  }
}
