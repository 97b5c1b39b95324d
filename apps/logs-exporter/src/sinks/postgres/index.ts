import { DamagedError, SinkError } from '../../errors.ts'
import { verifyContent } from '../../formats/format.ts'
import { rangeText, type Segment, type Window } from '../../segments/segment.ts'
import type { OnSkipped, Sink } from '../sink.ts'
import { openDatabase } from './database.ts'
import { currentQuery, migration, partition, partitionName, rowsTable, segmentsTable } from './schema.ts'
import { countStray, createPostgresWriter, listStoredSegments, readStoredSegment } from './segments.ts'

export interface PostgresSinkOptions {
  /**
   * Returns the URL, postgres://USER:PASSWORD@HOST:PORT/DATABASE. Called again after the server refuses a connection, so that the
   * password can change.
   */
  url(): Promise<string>
}

/** Stores rows in a table partitioned by day, and segments in a second table. Creates the tables if needed. */
export function openPostgresSink({ url }: PostgresSinkOptions): Sink {
  let isMigrated = false
  const partitions = new Set<string>()
  // After a failover, the server may lack the newest tables.
  const database = openDatabase(url, () => {
    isMigrated = false
    partitions.clear()
  })

  async function migrate(signal: AbortSignal): Promise<void> {
    if (isMigrated) return
    await database.use(async (client) => {
      const { rows } = await client.query<{ server_encoding: string }>('show server_encoding')
      if (rows[0]?.server_encoding !== 'UTF8') {
        const sentence = `The database of the PostgreSQL sink has the encoding ${rows[0]?.server_encoding}; it must be UTF8.`
        throw new SinkError('permanent', sentence)
      }
      const current = await client.query<{ is_current: boolean }>(currentQuery)
      if (!current.rows[0]?.is_current) await client.query(migration)
    }, signal)
    isMigrated = true
  }

  async function makePartition(at: number, signal: AbortSignal): Promise<void> {
    const name = partitionName(at)
    if (partitions.has(name)) return
    await database.query(partition(at), [], signal)
    partitions.add(name)
  }

  async function* segments(range: Window, signal: AbortSignal, onSkipped?: OnSkipped): AsyncGenerator<Segment> {
    await migrate(signal)
    yield* await listStoredSegments(database, range, signal)
    if (!onSkipped) return
    for (const { day, rows } of await countStray(database, range, signal)) {
      const place = `on ${day} in ${rowsTable} without a segment in ${segmentsTable}`
      onSkipped(new SinkError('damaged', `Zone ${range.zone} has ${rows} rows ${place}.`))
    }
  }

  async function* read(segment: Segment, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    try {
      yield* verifyContent(readStoredSegment(database, segment, signal), segment)
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error
      const sentence = `Segment r${segment.revision} of zone ${segment.zone}, ${rangeText(segment)}, in ${rowsTable} ${error.message}.`
      throw new SinkError('damaged', sentence)
    }
  }

  return {
    name: 'postgres',
    replacesNul: true,
    async check(signal) {
      isMigrated = false
      await migrate(signal)
      await database.query(`select from ${rowsTable}, ${segmentsTable} limit 0`, [], signal)
    },
    async begin(segment, signal) {
      await migrate(signal)
      await makePartition(segment.from, signal)
      return createPostgresWriter(database, segment, signal)
    },
    async *list(range, signal) {
      await migrate(signal)
      yield* await listStoredSegments(database, range, signal)
    },
    segments,
    read,
    async *zones(signal) {
      await migrate(signal)
      const text = `select distinct zone from ${segmentsTable} order by zone`
      for (const { zone } of await database.query<{ zone: string }>(text, [], signal)) yield zone
    },
    close: database.close,
  }
}
