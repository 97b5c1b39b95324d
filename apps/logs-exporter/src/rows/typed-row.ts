import { parseRowFields } from './canonical.ts'
import { entryColumns, type RowColumn } from './columns.ts'

/** A column value. Timestamps are in ms since 1970, int32 is a number, int64 a bigint. */
export type Value = string | number | bigint | null

/** The values of a row, one per entry of `columns`, in the same order. */
export type TypedRow = readonly Value[]

/**
 * Parses a canonical line into columns. `formatLine` restores the same line, byte for byte.
 *
 * @param line with or without its line feed
 * @throws if the line is not canonical
 */
export function parseTypedRow(line: string): TypedRow {
  const text = line.endsWith('\n') ? line.slice(0, -1) : line
  const fields = parseRowFields(text)
  let known = 1
  const row: Value[] = entryColumns.map((column) => {
    const value = fields[column.name]
    if (value === undefined || value === null) return null
    known++
    return toValue(column, value)
  })
  const source = String(fields['source'])
  row.push(Object.keys(fields).length === known ? null : cutExtra(text, row, source), source)
  return row
}

/** The canonical line of a row, with its line feed. */
export function formatLine(row: TypedRow): string {
  const extra = row[entryColumns.length]
  const rest = typeof extra === 'string' ? `,${extra.slice(1, -1)}` : ''
  return `${formatEntry(row)}${rest}${ending(row[entryColumns.length + 1])}\n`
}

function toValue({ type }: RowColumn, value: unknown): Value {
  if (type === 'timestamp') return Date.parse(String(value))
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
  if (!isPlain) throw new Error('a line of rows is not canonical')
  return type === 'int64' ? BigInt(value) : value
}

/** Extracts the fields that the contract does not know, unchanged. They stand between the known fields and the source. */
function cutExtra(text: string, row: TypedRow, source: string): string {
  const [start, end] = [`${formatEntry(row)},`, ending(source)]
  if (!text.startsWith(start) || !text.endsWith(end)) throw new Error('a line of rows is not canonical')
  return `{${text.slice(start.length, -end.length)}}`
}

function formatEntry(row: TypedRow): string {
  let text = ''
  for (const [n, { name, type }] of entryColumns.entries()) {
    const value = row[n]
    if (value === null || value === undefined) continue
    text += `,"${name}":`
    if (type === 'timestamp') text += `"${new Date(Number(value)).toISOString()}"`
    else text += typeof value === 'string' ? JSON.stringify(value) : value
  }
  return `{${text.slice(1)}`
}

const ending = (source: Value | undefined) => `,"source":"${source}"}`
