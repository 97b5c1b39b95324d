import type { SchemaElement } from 'hyparquet'
import { type ColumnType, columns } from '../../rows/columns.ts'

/** Times are instants in UTC: without the logical type readers would show local times. */
const types: Readonly<Record<ColumnType, Omit<SchemaElement, 'name'>>> = {
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  // The text must come back byte for byte; as Parquet's JSON the writer would encode it once more.
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
}

/** The Parquet schema of exported rows. */
export const schema: SchemaElement[] = [
  { name: 'root', num_children: columns.length },
  ...columns.map(({ name, type, nullable }): SchemaElement => {
    return { name, repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED', ...types[type] }
  }),
]

/** Keys of the metadata in a file's footer. */
export const keys = { rows: 'cdn-rows', sha256: 'cdn-sha256', source: 'cdn-source', groups: 'cdn-groups' } as const
