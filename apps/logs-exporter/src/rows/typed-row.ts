import { type Column, columns, entryColumns } from './columns.ts'
import type { Source } from './encoder.ts'

/** A value of a column: timestamps in ms since 1970, int32 as a number, int64 as a bigint. */
export type Value = string | number | bigint | null

/** The values of a row, one for each of `columns`, in their order. */
export type TypedRow = readonly Value[]

const names = new Map(columns.map(({ name, type }) => [name, type]))
const integer = /^-?\d+$/

/**
 * Reads a canonical line into columns. `formatLine` gives the same line back, byte for byte.
 *
 * @param line with or without its line feed
 * @throws where the line is not canonical
 */
export function parseLine(line: string): TypedRow {
  const text = line.endsWith('\n') ? line.slice(0, -1) : line
  const fields = parseExact(text)
  let known = 1
  const row: Value[] = entryColumns.map((column) => {
    const value = fields[column.name]
    if (value === undefined || value === null) return null
    known++
    return toValue(column, value)
  })
  const source = fields['source'] as Source
  row.push(Object.keys(fields).length === known ? null : cutExtra(text, row, source), source)
  return row
}

/** The canonical line of a row, with its line feed. */
export function formatLine(row: TypedRow): string {
  const extra = row[entryColumns.length]
  const rest = typeof extra === 'string' ? `,${extra.slice(1, -1)}` : ''
  return `${formatEntry(row)}${rest}${ending(row[entryColumns.length + 1] as Source)}\n`
}

/** Parses with every integer exact, though most lines need only the fast way. */
function parseExact(text: string): Record<string, unknown> {
  const fields = JSON.parse(text) as Record<string, unknown>
  for (const { name, type } of entryColumns) {
    if (type === 'int64' && typeof fields[name] === 'number' && !Number.isSafeInteger(fields[name])) {
      return JSON.parse(text, (name, value, context?: { source?: string }) =>
        names.get(name) === 'int64' && integer.test(context?.source ?? '') ? BigInt(context?.source ?? 0) : value,
      )
    }
  }
  return fields
}

function toValue({ type }: Column, value: unknown): Value {
  if (type === 'timestamp') return Date.parse(value as string)
  if (type === 'int64') return BigInt(value as number | bigint)
  return value as string | number
}

/** Fields that the contract does not know stand between the others and the source; they are kept as they are. */
function cutExtra(text: string, row: TypedRow, source: Source): string {
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

const ending = (source: Source) => `,"source":"${source}"}`
