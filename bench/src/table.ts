import { markdownTable } from '@cdn/kit/markdown-table'
import type { Row } from './row.ts'

export interface TableRow extends Omit<Row, 'met'> {
  readonly met: string
  readonly repeat: string
}

const columns = ['measured', 'result', 'compared with', 'bound', 'met', 'repeat with']

/** @returns the rows as a Markdown table */
export function toTable(rows: readonly TableRow[]): string {
  return markdownTable(
    columns,
    rows.map(({ what, ours, peer, bound, met, repeat }) => [what, ours, peer, bound, met, repeat]),
  )
}

/** @returns the rows of a table of `toTable`; empty if the text has no table */
export function parseTable(text: string): TableRow[] {
  const lines = text.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) => {
    const cells = line.split('|').map((cell) => cell.trim())
    const [, what = '', ours = '', peer = '', bound = '', met = '', repeat = ''] = cells
    return { what, ours, peer, bound, met, repeat }
  })
}
