import type { PoolClient } from 'pg'
import type { BatchSource } from '../../rows/batch.ts'
import type { Segment, Window } from '../../segments/segment.ts'
import { rowsTable, segmentsTable } from './schema.ts'

/** The columns that `toSegment` needs. 64-bit numbers arrive as texts. */
export const segmentColumns = 'zone, window_from, window_to, revision, source, rows, bytes, sha256'

/** A row of the table of segments. */
export interface SegmentRow {
  readonly zone: string
  readonly window_from: Date
  readonly window_to: Date
  readonly revision: number
  readonly source: BatchSource
  readonly rows: string
  readonly bytes: string
  readonly sha256: string
}

export function toSegment(row: SegmentRow): Segment {
  const { zone, window_from, window_to, revision, source, rows, bytes, sha256 } = row
  const [from, to] = [window_from.getTime(), window_to.getTime()]
  return { zone, from, to, revision, source, rows: Number(rows), bytes: Number(bytes), sha256 }
}

/** Segments of a zone that overlap a range, in order. */
export async function listStoredSegments(client: PoolClient, { zone, from, to }: Window): Promise<Segment[]> {
  const { rows } = await client.query<SegmentRow>(
    `select ${segmentColumns} from ${segmentsTable}
     where zone = $1 and window_to > $2 and window_from < $3 order by window_from, window_to, revision`,
    [zone, bound(from), bound(to)],
  )
  return rows.map(toSegment)
}

/** The days (UTC) of a zone in a range that have rows without a segment, with the number of such rows. */
export async function countStray(client: PoolClient, { zone, from, to }: Window) {
  const { rows } = await client.query<{ day: string; rows: string }>(
    `select to_char(timestamp at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as rows from ${rowsTable}
     where pull_zone_id = $1 and timestamp >= $2 and timestamp < $3
       and not exists (select from ${segmentsTable} where id = segment and zone = $1)
     group by day order by day`,
    [zone, bound(from), bound(to)],
  )
  return rows
}

/** A bound of a query: PostgreSQL supports years beyond the range of Date. */
const bound = (at: number) => (Number.isFinite(at) ? new Date(at) : at > 0 ? 'infinity' : '-infinity')
