import { defined } from '@cdn/kit/defined'
import { columns } from '../../rows/columns.ts'
import { parseTypedRow, type Value } from '../../rows/typed-row.ts'

/** In the text format of COPY, a tab ends a field, a line feed ends a row, and `\N` is null. */
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

/**
 * Encodes canonical lines as rows for COPY.
 *
 * @param segment id of the segment
 * @param first number of the first line within the segment
 */
export function toCopy(lines: string, segment: string, first: number): { text: string; rows: number } {
  let [text, rows] = ['', 0]
  for (let start = 0; start < lines.length; rows++) {
    const end = lines.indexOf('\n', start)
    const row = parseTypedRow(lines.slice(start, end))
    text += `${segment}\t${first + rows}\t${row.map(toField).join('\t')}\n`
    start = end + 1
  }
  return { text, rows }
}

function toField(value: Value, n: number): string {
  if (value === null) return '\\N'
  if (columns[n]?.type === 'timestamp') return new Date(Number(value)).toISOString()
  return typeof value === 'string' ? value.replace(/[\\\t\n\r]/g, (text) => defined(escapes[text])) : String(value)
}
