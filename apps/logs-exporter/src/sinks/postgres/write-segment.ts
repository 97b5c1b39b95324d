import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { createDigest, digestLines } from '../../formats/digest.ts'
import type { BatchSource } from '../../rows/batch.ts'
import type { Segment } from '../../segments/segment.ts'
import type { SegmentId } from '../../segments/segment-name.ts'
import { refuseOverlap } from '../overlap.ts'
import type { Published, SegmentWriter } from '../sink.ts'
import { openSpool, type Spool } from '../spool.ts'
import { toCopy } from './copy-text.ts'
import type { Database } from './database.ts'
import { columnNames, rowsTable, segmentsTable } from './schema.ts'
import { type SegmentRow, segmentColumns, toSegment } from './segments.ts'

/**
 * Collects a segment in a temporary file, and writes it in one short transaction, so that no lock waits for the platform. The
 * transaction inserts the unique row (zone, window, revision), then runs COPY. If the response to COMMIT is lost, the transaction
 * is repeated. The unique row then shows whether the first attempt succeeded.
 */
export async function beginStoredSegment(
  database: Database,
  named: SegmentId,
  source: BatchSource,
  signal: AbortSignal,
): Promise<SegmentWriter> {
  const spool = await openSpool()
  const digest = createDigest()

  async function publish(): Promise<Published> {
    const { bytes } = spool.seal()
    const segment: Segment = { ...named, ...digest.content(), source, bytes }
    return database.use((client) => transact(client, segment, spool, signal), signal)
  }

  return {
    async write({ bytes, rows }) {
      signal.throwIfAborted()
      digest.update(bytes, rows)
      await spool.write(bytes)
    },
    publish: () => publish().finally(spool.close),
    discard: () => spool.close(),
  }
}

async function transact(client: PoolClient, segment: Segment, spool: Spool, signal: AbortSignal): Promise<Published> {
  const { zone, from, to, revision, source, rows, bytes, sha256 } = segment
  await client.query('begin')
  const key = [zone, new Date(from), new Date(to), revision]
  const others = await client.query<SegmentRow>(
    `select ${segmentColumns} from ${segmentsTable} where zone = $1 and window_from < $3 and window_to > $2
     and (window_from, window_to) <> ($2, $3) limit 1`,
    key.slice(0, 3),
  )
  refuseOverlap(segment, others.rows.map(toSegment))
  const inserted = await client.query<{ id: string }>(
    `insert into ${segmentsTable} (zone, window_from, window_to, revision, source, rows, bytes, sha256)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning id`,
    [...key, source, rows, bytes, sha256],
  )
  const id = inserted.rows[0]?.id
  if (id === undefined) {
    const existing = await client.query(
      `select ${segmentColumns} from ${segmentsTable}
       where zone = $1 and window_from = $2 and window_to = $3 and revision = $4`,
      key,
    )
    await client.query('rollback')
    const first = toSegment(existing.rows[0])
    return { outcome: first.sha256 === sha256 ? 'published' : 'lost', segment: first }
  }
  const copy = client.query(copyFrom(`copy ${rowsTable} (segment, line, ${columnNames.join()}) from stdin`))
  await pipeline(Readable.from(toRows(spool, id)), copy, { signal })
  await client.query('commit')
  return { outcome: 'published', segment }
}

async function* toRows(spool: Spool, segment: string): AsyncGenerator<string> {
  let line = 0
  for await (const piece of digestLines(spool.stream())) {
    const { text, rows } = toCopy(Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString(), segment, line)
    yield text
    line += rows
  }
}
