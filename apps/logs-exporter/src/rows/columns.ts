import { contracts, type Schema } from '@cdn/api/contract'

/** What a column holds: `timestamp` is UTC to the millisecond, `json` the text of a JSON object. */
export type ColumnType = 'timestamp' | 'int32' | 'int64' | 'string' | 'json'

/** A column of the exported rows. */
export interface Column {
  /** The field of the canonical line, too. */
  readonly name: string
  readonly type: ColumnType
  readonly nullable: boolean
}

/** The fields of a log entry in the order of the contract, which is the order of a canonical line. */
export const entryColumns: readonly Column[] = columnsOf(entrySchema())

/** Holds the fields that the contract does not know, as one object; a canonical line has them one by one. */
export const extra = 'extra'

/** Every column of a typed sink, in order; `source` says by which version of the interface a row was read. */
export const columns: readonly Column[] = [
  ...entryColumns,
  { name: extra, type: 'json', nullable: true },
  { name: 'source', type: 'string', nullable: false },
]

/** The schema of a log entry: that of the items of `data` in a page of version 2. */
function entrySchema(): Schema {
  const schema = contracts.logging.openapi.full.components.schemas?.['LogEntry']
  if (!schema) throw new Error('the contract has no schema LogEntry')
  return schema
}

function columnsOf(schema: Schema): Column[] {
  const required = new Set(schema['required'] as readonly string[])
  const properties = schema['properties'] as Readonly<Record<string, Schema>>
  return Object.entries(properties).map(([name, property]) => {
    const types = [property['type']].flat()
    return { name, type: typeOf(name, property), nullable: !required.has(name) || types.includes('null') }
  })
}

function typeOf(name: string, schema: Schema): ColumnType {
  const format = schema['format']
  if (format === 'int32' || format === 'int64') return format
  if (format === 'date-time') return 'timestamp'
  if ([schema['type']].flat().includes('string')) return 'string'
  throw new Error(`the exporter has no column type for the field ${name} of the contract's LogEntry`)
}
