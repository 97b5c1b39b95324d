import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { assertDefined } from '@cdn/kit/assert-defined'
import type { PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { createDigest, linesOf, wholeLines } from '../../formats/format.ts'
import { type ColumnType, columns, formatLine, parseTypedRow, type Value } from '../../rows/columns.ts'
import { isoTime, type Segment, type SegmentId, type Window } from '../../segments/segment.ts'
import { type Published, refuseOverlap, type SegmentWriter } from '../sink.ts'
import { openTemporaryFile, type TemporaryFile } from '../temporary-file.ts'
import type { Database } from './database.ts'
import { columnNames, rowsTable, segmentsTable, sqlName } from './schema.ts'

const fields = `zone, (extract(epoch from window_from) * 1000)::float8 as "from", (extract(epoch from window_to) * 1000)::float8 as "to",
  revision, rows::float8, bytes::float8, sha256`

/** Segments of a zone that overlap a range, in order. */
export function listStoredSegments(database: Database, range: Window, signal: AbortSignal): Promise<Segment[]> {
  const text = `select ${fields} from ${segmentsTable}
    where zone = $1 and window_to > $2 and window_from < $3 order by window_from, window_to, revision`
  return database.query<Segment>(text, boundsOf(range), signal)
}

/** The days (UTC) of a zone in a range that have rows without a segment, with the number of such rows. */
export function countStray(database: Database, range: Window, signal: AbortSignal) {
  const text = `select to_char(timestamp at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as rows from ${rowsTable}
    where pull_zone_id = $1 and timestamp >= $2 and timestamp < $3
      and not exists (select from ${segmentsTable} where id = segment and zone = $1)
    group by day order by day`
  return database.query<{ readonly day: string; readonly rows: string }>(text, boundsOf(range), signal)
}

/** The range as parameters of a query. A `Date` cannot be infinite. */
function boundsOf({ zone, from, to }: Window): unknown[] {
  return [zone, ...[from, to].map((at) => (Number.isFinite(at) ? new Date(at) : at > 0 ? 'infinity' : '-infinity'))]
}

/** Lines per query. Between queries no connection is held, so that many segments can be read concurrently. */
const pieceLines = 2000

/** The lines of a segment, in the order in which they were written. Empty if the segment does not exist. */
export async function* readStoredSegment(
  database: Database,
  segment: Segment,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const { zone, revision, from, to, rows: expected } = segment
  // The times in the query let the planner skip the partitions of other days.
  const query = `select ${selected.join()} from ${rowsTable}
    where segment = (select id from ${segmentsTable}
      where zone = $1 and window_from = $2 and window_to = $3 and revision = $4)
    and timestamp >= $2 and timestamp < $3 and line >= $5 and line < $6 order by line`
  const key = [zone, new Date(from), new Date(to), revision]
  for (let line = 0; line < expected + pieceLines; line += pieceLines) {
    const end = line < expected ? line + pieceLines : maxLine // to detect lines beyond the end
    const { rows } = await database.use(
      (client) => client.query<Value[]>({ text: query, values: [...key, line, end], rowMode: 'array' }),
      signal,
    )
    if (rows.length > 0) yield Buffer.from(rows.map((row) => formatLine(row.map(toValue))).join(''))
  }
}

const maxLine = 2 ** 31 - 1

const expressions: Partial<Record<ColumnType, (name: string) => string>> = {
  timestamp: (name) => `(extract(epoch from ${name}) * 1000)::bigint`,
  json: (name) => `${name}::text`,
}
const selected = columns.map(({ name, type }) => expressions[type]?.(sqlName(name)) ?? sqlName(name))

function toValue(value: Value, n: number): Value {
  if (value === null) return null
  const type = columns[n]?.type
  if (type === 'timestamp') return Number(value)
  return type === 'int64' ? BigInt(value) : value
}

/**
 * Collects a segment in a temporary file, and writes it in one short transaction, so that no lock waits for the platform. The
 * transaction inserts the unique row (zone, window, revision), then runs COPY. If the response to COMMIT is lost, the transaction
 * is repeated. The unique row then shows whether the first attempt succeeded.
 */
export async function createPostgresWriter(
  database: Database,
  named: SegmentId,
  signal: AbortSignal,
): Promise<SegmentWriter> {
  const file = await openTemporaryFile()
  const digest = createDigest()

  async function publish(): Promise<Published> {
    const { bytes } = file.seal()
    const segment: Segment = { ...named, ...digest.content(), bytes }
    return database.use((client) => transact(client, segment, file, signal), signal)
  }

  return {
    async write({ bytes, rows }) {
      signal.throwIfAborted()
      digest.update(bytes, rows)
      await file.write(bytes)
    },
    publish: () => publish().finally(file.close),
    discard: () => file.close(),
  }
}

async function transact(
  client: PoolClient,
  segment: Segment,
  file: TemporaryFile,
  signal: AbortSignal,
): Promise<Published> {
  const { zone, from, to, revision, rows, bytes, sha256 } = segment
  // A role or a database may have asynchronous commits, which a crash of the server would lose.
  await client.query('begin; set local synchronous_commit = on')
  const key = [zone, new Date(from), new Date(to), revision]
  const others = await client.query<Segment>(
    `select ${fields} from ${segmentsTable} where zone = $1 and window_from < $3 and window_to > $2
     and (window_from, window_to) <> ($2, $3) limit 1`,
    key.slice(0, 3),
  )
  refuseOverlap(segment, others.rows)
  const inserted = await client.query<{ id: string }>(
    `insert into ${segmentsTable} (zone, window_from, window_to, revision, rows, bytes, sha256)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning id`,
    [...key, rows, bytes, sha256],
  )
  const id = inserted.rows[0]?.id
  if (id === undefined) {
    const existing = await client.query<Segment>(
      `select ${fields} from ${segmentsTable}
       where zone = $1 and window_from = $2 and window_to = $3 and revision = $4`,
      key,
    )
    await client.query('rollback')
    const first = assertDefined(existing.rows[0])
    return { outcome: first.sha256 === sha256 ? 'published' : 'conflict', segment: first }
  }
  const copy = client.query(copyFrom(`copy ${rowsTable} (segment, line, ${columnNames.join()}) from stdin`))
  await pipeline(Readable.from(toRows(file, id)), copy, { signal })
  await client.query('commit')
  return { outcome: 'published', segment }
}

async function* toRows(file: TemporaryFile, segment: string): AsyncGenerator<string> {
  let line = 0
  for await (const piece of wholeLines(file.stream())) {
    let text = ''
    for (const each of linesOf(Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString()))
      text += `${segment}\t${line++}\t${parseTypedRow(each).map(toField).join('\t')}\n`
    yield text
  }
}

/** In the text format of COPY, a tab ends a field, a line feed ends a row, and `\N` is null. */
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function toField(value: Value, n: number): string {
  if (value === null) return '\\N'
  if (columns[n]?.type === 'timestamp') return isoTime(Number(value))
  return typeof value === 'string'
    ? value.replace(/[\\\t\n\r]/g, (text) => assertDefined(escapes[text]))
    : String(value)
}
