import { entryColumns, type RowColumn } from './columns.ts'

/** The end of each line. All rows are read from version 2. */
export const lineSuffix = ',"source":"v2"}\n'

/**
 * Writes a row as a canonical line.
 *
 * @param hasEscapes false if no text of the row has a character that JSON must escape, or a lone surrogate
 * @returns undefined if the row needs `toCanonical`
 */
export type WriteLine = (
  row: Readonly<Record<string, unknown>>,
  time: string,
  hasEscapes: boolean,
) => string | undefined

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters
const unsafe = /["\\\0-\x1f]/

function isOf(type: RowColumn['type'], value: unknown): boolean {
  if (type === 'string') return typeof value === 'string'
  return type === 'int32' ? typeof value === 'number' && (value | 0) === value : Number.isSafeInteger(value)
}

/**
 * Creates a function that writes usual rows. It returns undefined for all others: rows with a field that the contract does not know, a
 * value of another type, an integer that a number cannot hold, a lone surrogate, or a required field that is missing. `toCanonical`
 * defines the result for all rows; this function gives the same lines about twice as fast (docs/decisions/row-encoder.md).
 *
 * @param replacesNul whether the sink cannot hold U+0000. Such rows need `toCanonical`, too
 */
export function createWriteLine(replacesNul: boolean): WriteLine {
  const [, ...columns] = entryColumns // the timestamp comes first
  const fields = columns.map((column) => ({ ...column, head: `,"${column.name}":` }))
  const quote = (text: string) =>
    text.isWellFormed() && !(replacesNul && text.includes('\0')) ? JSON.stringify(text) : undefined
  return (row, time, hasEscapes) => {
    let line = `{"timestamp":"${time}"`
    let unknown = 'timestamp' in row ? -1 : 0
    for (const _ in row) unknown++
    for (const { name, type, nullable, head } of fields) {
      const value = row[name]
      if (value !== undefined) unknown--
      if (value === undefined || value === null) {
        if (!nullable) return undefined
        continue
      }
      if (!isOf(type, value)) return undefined
      const isQuoted = type === 'string' && hasEscapes && unsafe.test(value as string)
      const text = type !== 'string' ? value : isQuoted ? quote(value as string) : `"${value}"`
      if (text === undefined) return undefined
      line += `${head}${text}`
    }
    if (unknown !== 0) return undefined
    line += lineSuffix
    return line.isWellFormed() ? line : undefined
  }
}
