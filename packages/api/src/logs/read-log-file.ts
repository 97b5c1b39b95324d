import type { ClientOptions } from '../client.ts'
import { IncompleteLogsError } from '../errors/incomplete-logs-error.ts'
import { TransportError } from '../errors/transport-error.ts'
import type { paths } from '../gen/logging.ts'
import type { LoggingClient } from '../logging.ts'
import { redactionFor } from '../redact.ts'
import { type Attempt, retry, troubleOf } from '../retry.ts'
import { type Instant, toMs } from './instant.ts'
import { type LogFileRow, type MalformedLine, parseLine } from './line.ts'
import { splitLines } from './lines.ts'
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
  from: LoggingClient | ClientOptions,
  query: LogFileQuery,
): AsyncGenerator<LogFileRow | MalformedLine, void, void> {
  const { pullZoneId, date, extended, anyOrder = false, signal, limiter, sleep, ...filters } = query
  const file = { pullZoneId, ms: toMs('date', date), filters }
  return readLines(sourceOf(from, { signal, limiter, sleep }), file, extended, anyOrder)
}

interface LogFile {
  readonly pullZoneId: number | bigint
  /** Some point of the day. */
  readonly ms: number
  readonly filters: FileFilters
}

async function* readLines(
  source: Source,
  file: LogFile,
  extended: boolean | undefined,
  anyOrder: boolean,
): AsyncGenerator<LogFileRow | MalformedLine, void, void> {
  const response = await open(source, file)
  let latest = Number.NEGATIVE_INFINITY
  for await (const lines of linesOf(response, source.signal)) {
    for (const line of lines) {
      if (line.trim() === '') continue
      const row = parseLine(line, extended)
      if (!row.malformed) {
        if (row.timestamp < latest && !anyOrder) {
          const nextDay = (Math.floor(file.ms / dayMs) + 1) * dayMs
          const why = 'the lines are not in the order that was asked for'
          throw new IncompleteLogsError(file.pullZoneId, latest, nextDay, why)
        }
        latest = row.timestamp
      }
      yield row
    }
  }
}

function open({ client, limiter, sleep, signal }: Source, { pullZoneId, ms, filters }: LogFile): Promise<Response> {
  const options = {
    params: { path: { date: toDay(ms), pullZoneId }, query: { ...filters, sort: 'asc' as const } },
    parseAs: 'stream' as const,
    signal,
  }
  const attempt = async (): Promise<Attempt<Response>> => {
    const { error, response } = await limiter.run(pullZoneId, () => client.GET(filePath, options), signal)
    if (!error) return { value: response }
    signal?.throwIfAborted()
    return troubleOf(error, response)
  }
  return retry(attempt, sleep, signal)
}

async function* linesOf(response: Response, signal: AbortSignal | undefined): AsyncGenerator<string[], void, void> {
  if (!response.body) return
  const length = response.headers.get('Content-Length')
  // With a content encoding the length is that of the encoded bytes, and the runtime's decoder notices a cut.
  const expected = length === null || response.headers.has('Content-Encoding') ? undefined : Number(length)
  try {
    for await (const lines of splitLines(response.body, expected)) {
      signal?.throwIfAborted()
      yield lines
    }
  } catch (cause) {
    signal?.throwIfAborted()
    const what = 'has a body that breaks off, or that cannot be cut into lines'
    const redact = redactionFor(new Headers())
    throw new TransportError({
      kind: 'body',
      operation: `GET ${filePath}`,
      what,
      redact,
      status: response.status,
      cause,
    })
  }
}

/** The day as version 1 writes it: MM-DD-YY, UTC. */
function toDay(ms: number): string {
  const [year = '', month = '', day = ''] = new Date(ms).toISOString().slice(0, 10).split('-')
  return `${month}-${day}-${year.slice(-2)}`
}
