import type { SchemaElement } from 'hyparquet'
import { type ColumnType, columns } from '../../rows/columns.ts'

/** Times have the logical type of UTC instants. Without it, readers would show local times. */
const types: Readonly<Record<ColumnType, Omit<SchemaElement, 'name'>>> = {
  timestamp: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  // A string, because the text must stay byte for byte. The writer would encode it again for Parquet's JSON type.
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
}

/** The Parquet schema of exported rows. */
export const schema: SchemaElement[] = [
  { name: 'root', num_children: columns.length },
  ...columns.map(({ name, type, nullable }): SchemaElement => {
    return { name, repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED', ...types[type] }
  }),
]

/** Metadata keys in the footer of a file. */
export const keys = { rows: 'cdn-rows', sha256: 'cdn-sha256', source: 'cdn-source', groups: 'cdn-groups' } as const
