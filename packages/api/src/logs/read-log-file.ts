import { IncompleteLogsError } from '../errors/incomplete-logs-error.ts'
import { TransportError } from '../errors/transport-error.ts'
import type { paths } from '../gen/logging.ts'
import type { LoggingClient, LoggingClientOptions } from '../logging.ts'
import { redactionFor } from '../redact.ts'
import { retry } from '../retry.ts'
import { idleTimeout } from '../timeout.ts'
import { type Instant, toMs } from './instant.ts'
import { type LogFileRow, type MalformedLine, parseLines } from './line.ts'
import { wholeLines } from './lines.ts'
import { type ReaderOptions, type Source, sourceOf } from './source.ts'

const filePath = '/{date}/{pullZoneId}.log'
const dayMs = 86_400_000

type FileFilters = Readonly<
  Omit<NonNullable<paths[typeof filePath]['get']['parameters']['query']>, 'sort' | 'download'>
>

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
  const { pullZoneId, date, extended, anyOrder = false, signal, idleMs, sleep, ...filters } = query
  const file = { pullZoneId, ms: toMs('date', date), filters, extended, anyOrder }
  return readRows(sourceOf(from, { signal, idleMs, sleep }), file)
}

interface LogFile {
  readonly pullZoneId: number | bigint
  /** Some point of the day. */
  readonly ms: number
  readonly filters: FileFilters
  readonly extended: boolean | undefined
  readonly anyOrder: boolean
}

async function* readRows(source: Source, file: LogFile): AsyncGenerator<LogFileRow | MalformedLine, void, void> {
  const { pullZoneId, ms, extended, anyOrder } = file
  let latest = Number.NEGATIVE_INFINITY
  for await (const text of open(source, file)) {
    for (const row of parseLines(text, extended)) {
      if (!row.malformed) {
        if (row.timestamp < latest && !anyOrder) {
          const nextDay = (Math.floor(ms / dayMs) + 1) * dayMs
          const why = 'the lines are not in the order that was asked for'
          throw new IncompleteLogsError(pullZoneId, latest, nextDay, why)
        }
        latest = row.timestamp
      }
      yield row
    }
  }
}

async function* open({ client, idleMs, sleep, signal }: Source, file: LogFile): AsyncGenerator<string, void, void> {
  const { pullZoneId, ms, filters } = file
  const { data, error, response } = await client.GET(filePath, {
    params: { path: { date: toDay(ms), pullZoneId }, query: { ...filters, sort: 'asc' } },
    parseAs: 'stream',
    signal,
    use: [retry({ sleep }), idleTimeout(idleMs)],
  })
  signal?.throwIfAborted()
  if (error) throw error
  if (!data) return
  const length = response.headers.get('Content-Length')
  // With a content encoding the length is that of the encoded bytes, and the runtime's decoder notices a cut.
  const expectedBytes = length === null || response.headers.has('Content-Encoding') ? undefined : Number(length)
  try {
    yield* wholeLines(data, { expectedBytes, idleMs, signal })
  } catch (cause) {
    signal?.throwIfAborted()
    const failure = { operation: `GET ${filePath}`, attempt: 1, redact: redactionFor(), response }
    throw new TransportError(failure, 'body', 'has a body that breaks off, or that cannot be cut into lines', cause)
  }
}

/** The day as version 1 writes it: MM-DD-YY, UTC. */
function toDay(ms: number): string {
  const [year = '', month = '', day = ''] = new Date(ms).toISOString().slice(0, 10).split('-')
  return `${month}-${day}-${year.slice(-2)}`
}
