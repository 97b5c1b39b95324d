import type { Row } from './row.ts'

/** A row of the Markdown table. */
export interface TableRow extends Omit<Row, 'met'> {
  readonly met: string
  /** The command that repeats the measurement. */
  readonly repeat: string
}

const columns = {
  what: 'measured',
  ours: 'result',
  peer: 'compared with',
  bound: 'bound',
  met: 'met',
  repeat: 'repeat with',
} as const satisfies Record<keyof TableRow, string>
const names = Object.keys(columns) as (keyof TableRow)[]

/** @returns the rows as a Markdown table */
export function toTable(rows: readonly TableRow[]): string {
  const lines = [columns, ...rows].map((row) => names.map((name) => row[name]))
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  const format = (line: readonly string[]) =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = '', ...body] = lines.map(format)
  return [head, format(widths.map((width) => '-'.repeat(width))), ...body].join('\n')
}

/** @returns the rows of a table of `toTable`; empty if the text has no table */
export function parseTable(text: string): TableRow[] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) => {
    const cells = line.split('|').map((cell) => cell.trim())
    return Object.fromEntries(names.map((name, column) => [name, cells[column + 1] ?? ''])) as unknown as TableRow
  })
}
