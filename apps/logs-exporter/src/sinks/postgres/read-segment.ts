import { type ColumnType, columns } from '../../rows/columns.ts'
import { formatLine, type Value } from '../../rows/typed-row.ts'
import type { Segment } from '../../segments/segment.ts'
import type { Database } from './database.ts'
import { rowsTable, segmentsTable, sqlName } from './schema.ts'

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
    const end = line < expected ? line + pieceLines : maxLine // lines beyond the end must be seen, too
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

/** 64-bit integers arrive as texts. */
function toValue(value: Value, n: number): Value {
  if (value === null) return null
  const type = columns[n]?.type
  if (type === 'timestamp') return Number(value)
  return type === 'int64' ? BigInt(value) : value
}
