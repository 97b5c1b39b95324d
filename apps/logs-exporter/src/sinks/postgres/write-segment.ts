import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PoolClient } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { createDigest, wholeLines } from '../../formats/digest.ts'
import type { Source } from '../../rows/encoder.ts'
import type { Segment } from '../../segments/segment.ts'
import type { Named } from '../../segments/segment-name.ts'
import type { Published, SegmentWriter } from '../sink.ts'
import { SinkError } from '../sink-error.ts'
import { openSpool, type Spool } from '../spool.ts'
import { toCopy } from './copy-text.ts'
import type { Database } from './database.ts'
import { columnNames, fencesTable, rowsTable, segmentsTable } from './schema.ts'
import { segmentColumns, toSegment } from './segments.ts'

/**
 * Gathers a segment in a temporary file and writes it in one short transaction, so that no lock waits for the platform:
 * the fence of the zone, the unique row (zone, window, revision), COPY. When the answer to COMMIT is lost, the
 * transaction is begun again, and the unique row says whether it had taken effect.
 */
export async function beginSegment(
  database: Database,
  named: Named,
  source: Source,
  epoch: number,
  signal: AbortSignal,
): Promise<SegmentWriter> {
  const spool = await openSpool()
  const digest = createDigest()

  async function publish(): Promise<Published> {
    const { bytes } = spool.seal()
    const segment: Segment = { ...named, ...digest.content(), source, bytes }
    return database.use((client) => transact(client, segment, epoch, spool, signal), signal)
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

async function transact(
  client: PoolClient,
  segment: Segment,
  epoch: number,
  spool: Spool,
  signal: AbortSignal,
): Promise<Published> {
  const { zone, from, to, revision, source, rows, bytes, sha256 } = segment
  await client.query('begin')
  if (epoch > 0) await fence(client, zone, epoch)
  const key = [zone, new Date(from), new Date(to), revision]
  const inserted = await client.query<{ id: string }>(
    `insert into ${segmentsTable} (zone, window_from, window_to, revision, source, rows, bytes, sha256, epoch)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing returning id`,
    [...key, source, rows, bytes, sha256, epoch],
  )
  const id = inserted.rows[0]?.id
  if (id === undefined) {
    const found = await client.query(
      `select ${segmentColumns} from ${segmentsTable}
       where zone = $1 and window_from = $2 and window_to = $3 and revision = $4`,
      key,
    )
    await client.query('rollback')
    const first = toSegment(found.rows[0])
    return { outcome: first.sha256 === sha256 ? 'published' : 'lost', segment: first }
  }
  const copy = client.query(copyFrom(`copy ${rowsTable} (segment, line, ${columnNames.join()}) from stdin`))
  await pipeline(Readable.from(toRows(spool, id)), copy, { signal })
  await client.query('commit')
  return { outcome: 'published', segment }
}

/** Keeps out a worker whose lease is over: whoever has a newer epoch has written it here. Also makes writers of a zone queue. */
async function fence(client: PoolClient, zone: string, epoch: number): Promise<void> {
  const { rowCount } = await client.query(
    `insert into ${fencesTable} as fence (zone, epoch) values ($1, $2)
     on conflict (zone) do update set epoch = excluded.epoch where fence.epoch <= excluded.epoch`,
    [zone, epoch],
  )
  if (rowCount === 0) {
    throw new SinkError(
      'fenced',
      `Zone ${zone} has been written by a newer lease than epoch ${epoch}; if the database of the fleet was made anew, delete the row of the zone in ${fencesTable}.`,
    )
  }
}

async function* toRows(spool: Spool, segment: string): AsyncGenerator<string> {
  let line = 0
  for await (const piece of wholeLines(spool.stream())) {
    const { text, rows } = toCopy(Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString(), segment, line)
    yield text
    line += rows
  }
}
