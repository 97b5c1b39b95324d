import { contracts, type Schema } from '@cdn/api/contract'
import { parseJson } from '@cdn/kit/json'
import { isRecord } from '@cdn/kit/record'
import { RejectedRow } from '../errors.ts'

/** Type of a column. `timestamp` is UTC with milliseconds; `json` is the text of a JSON object. */
export type ColumnType = 'timestamp' | 'int32' | 'int64' | 'string' | 'json'

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

/** A parsed row. Integers that a number cannot hold exactly are bigints. */
export type ParsedRow = Readonly<Record<string, unknown>>

/**
 * Parses a row of version 2, or a canonical line.
 *
 * @throws SyntaxError for invalid JSON, RejectedRow for anything but an object
 */
export function parseRowFields(text: string): ParsedRow {
  const row = parseJson(text)
  if (!isRecord(row)) throw new RejectedRow('it is not an object')
  return row
}

/** A column value. Timestamps are in ms since 1970, int32 is a number, int64 a bigint. */
export type Value = string | number | bigint | null

/** The values of a row, one per entry of `columns`, in the same order. */
export type TypedRow = readonly Value[]

/**
 * Parses a canonical line into columns. `formatLine` restores the same line, byte for byte. If the contract had other fields when
 * the line was written, a field that does not stand in today's order is in `extra`.
 *
 * @param line with or without its line feed
 * @throws Error if the line is not canonical
 */
export function parseTypedRow(line: string): TypedRow {
  const text = line.endsWith('\n') ? line.slice(0, -1) : line
  const fields = parseRowFields(text)
  const names = Object.keys(fields)
  const start = names.indexOf('timestamp') // JavaScript puts names that are integers first
  let next = start
  const row: Value[] = entryColumns.map((column) => {
    if (column.name !== names[next]) return null
    next++
    return toValue(column, fields[column.name])
  })
  const source = String(fields['source'])
  row.push(names.length === next - start + 1 ? null : cutExtra(text, row, source), source)
  return row
}

/**
 * The canonical line of a row, with its line feed.
 *
 * @param fields the contract's fields when the row was written
 */
export function formatLine(row: TypedRow, fields = entryColumns): string {
  const extra = row[fields.length]
  const rest = typeof extra === 'string' ? `,${extra.slice(1, -1)}` : ''
  return `${formatEntry(row, fields)}${rest}${suffixOf(row[fields.length + 1])}\n`
}

function toValue({ type }: RowColumn, value: unknown): Value {
  if (type === 'timestamp') return Date.parse(String(value))
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
  if (!isPlain) throw new Error('a line of rows is not canonical')
  return type === 'int64' ? BigInt(value) : value
}

/** Extracts the fields that the contract does not know, unchanged. They stand between the known fields and the source. */
function cutExtra(text: string, row: TypedRow, source: string): string {
  const [start, end] = [`${formatEntry(row)},`, suffixOf(source)]
  if (!text.startsWith(start) || !text.endsWith(end)) throw new Error('a line of rows is not canonical')
  return `{${text.slice(start.length, -end.length)}}`
}

function formatEntry(row: TypedRow, fields = entryColumns): string {
  let text = ''
  for (const [n, { name, type }] of fields.entries()) {
    const value = row[n]
    if (value === null || value === undefined) continue
    text += `,"${name}":`
    if (type === 'timestamp') text += `"${new Date(Number(value)).toISOString()}"`
    else text += typeof value === 'string' ? JSON.stringify(value) : value
  }
  return `{${text.slice(1)}`
}

const suffixOf = (source: Value | undefined) => `,"source":"${source}"}`
