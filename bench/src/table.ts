import { markdownTable } from '@cdn/kit/markdown-table'
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
  return markdownTable(
    Object.values(columns),
    rows.map((row) => names.map((name) => row[name])),
  )
}

/** @returns the rows of a table of `toTable`; empty if the text has no table */
export function parseTable(text: string): TableRow[] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) => {
    const cells = line.split('|').map((cell) => cell.trim())
    return Object.fromEntries(names.map((name, column) => [name, cells[column + 1] ?? ''])) as unknown as TableRow
  })
}
