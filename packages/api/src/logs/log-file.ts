import { IncompleteLogsError } from '../errors/incomplete-logs-error.ts'
import { TransportError } from '../errors/transport-error.ts'
import type { paths } from '../gen/logging.ts'
import { redactionFor } from '../redact.ts'
import { retry } from '../retry.ts'
import { idleTimeout } from '../timeout.ts'
import { toMs } from './instant.ts'
import { wholeLines } from './lines.ts'
import type { LogFileQuery } from './read-log-file.ts'
import type { Source } from './source.ts'

const filePath = '/{date}/{pullZoneId}.log'
const dayMs = 86_400_000

/** The filters of version 1. */
export type FileFilters = Readonly<
  Omit<NonNullable<paths[typeof filePath]['get']['parameters']['query']>, 'sort' | 'download'>
>

/** A day file that is read. */
export interface LogFile {
  readonly pullZoneId: number | bigint
  /** Start of the day, in ms. */
  readonly start: number
  /** End of the day, exclusive. */
  readonly end: number
  readonly filters: FileFilters
  readonly extended: boolean | undefined
  readonly anyOrder: boolean
}

/**
 * Checks a query.
 *
 * @throws RangeError for a date that is none
 */
export function toLogFile(query: LogFileQuery): LogFile {
  const { pullZoneId, date, extended, anyOrder = false, signal: _, idleMs: __, sleep: ___, ...filters } = query
  const start = Math.floor(toMs('date', date) / dayMs) * dayMs
  return { pullZoneId, start, end: start + dayMs, filters, extended, anyOrder }
}

/**
 * Opens a day file; troubles before the first byte are retried. A file without lines is believed only when it is seen twice: an
 * answer in trouble may be empty as well, and nothing else tells them apart.
 *
 * @returns pieces of whole lines
 * @throws what a reading of the file throws, but for the order of its lines
 */
export async function* openLogFile(source: Source, file: LogFile): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  let isEmpty = true
  for (let time = 0; time < 2 && isEmpty; time++) {
    for await (const piece of readOnce(source, file)) {
      isEmpty = false
      yield piece
    }
  }
}

async function* readOnce(
  { client, idleMs, sleep, signal }: Source,
  { pullZoneId, start, filters }: LogFile,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const { data, error, response } = await client.GET(filePath, {
    params: { path: { date: toDay(start), pullZoneId }, query: { ...filters, sort: 'asc' } },
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
    throw new TransportError(failure, 'body', 'has a body that cannot be read to its end', cause)
  }
}

/**
 * Verifies that lines come in the order that was asked for.
 *
 * @returns takes the time of each line, in ms
 */
export function orderCheck({ pullZoneId, end, anyOrder }: LogFile): (time: number) => void {
  let latest = Number.NEGATIVE_INFINITY
  return (time) => {
    if (time < latest && !anyOrder) {
      throw new IncompleteLogsError(pullZoneId, latest, end, 'the lines are not in the order that was asked for')
    }
    latest = time
  }
}

/** The day as version 1 writes it: MM-DD-YY, UTC. */
function toDay(ms: number): string {
  return new Date(ms).toISOString().replace(/^..(..)-(..)-(..).*/, '$2-$3-$1')
}
