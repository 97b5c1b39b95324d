import { contracts, type Schema } from '@cdn/api/contract'

/** Type of a column. `timestamp` is UTC with milliseconds; `json` is the text of a JSON object. */
export type ColumnType = 'timestamp' | 'int32' | 'int64' | 'string' | 'json'

/** A column of the exported rows. */
export interface RowColumn {
  /** Also the name of the field in the canonical line. */
  readonly name: string
  readonly type: ColumnType
  readonly nullable: boolean
}

/** The fields of a log entry in the contract's order. A canonical line has the same order. */
export const entryColumns: readonly RowColumn[] = columnsOf(entrySchema())

/** Column that holds all fields that the contract does not know, as one object. A canonical line has them as separate fields. */
export const extra = 'extra'

/** Every column of a typed sink, in order. `source` is the version of the interface from which the row was read. */
export const columns: readonly RowColumn[] = [
  ...entryColumns,
  { name: extra, type: 'json', nullable: true },
  { name: 'source', type: 'string', nullable: false },
]

/** The schema of a log entry: the items of `data` in a page of version 2. */
function entrySchema(): Schema {
  const schema = contracts.logging.openapi.full.components.schemas?.['LogEntry']
  if (!schema) throw new Error('the contract has no schema LogEntry')
  return schema
}

function columnsOf(schema: Schema): RowColumn[] {
  // Safe: the lint of the contract checks the keywords of schemas.
  const { required, properties } = schema as {
    required: readonly string[]
    properties: Readonly<Record<string, Schema>>
  }
  return Object.entries(properties).map(([name, property]) => {
    const types = [property['type']].flat()
    return { name, type: typeOf(name, property), nullable: !required.includes(name) || types.includes('null') }
  })
}

function typeOf(name: string, schema: Schema): ColumnType {
  // Autonomous system numbers are unsigned 32-bit integers (RFC 6793). The contract's int32 cannot hold them.
  if (name === 'asn') return 'int64'
  const format = schema['format']
  if (format === 'int32' || format === 'int64') return format
  if (format === 'date-time') return 'timestamp'
  if ([schema['type']].flat().includes('string')) return 'string'
  throw new Error(`the exporter has no column type for the field ${name} of the contract's LogEntry`)
}
