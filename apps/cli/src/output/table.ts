import { terminalText } from '@cdn/kit/text'
import type { Style, Writer } from '../terminal/writer.ts'
import { jsonText } from './json.ts'
import { fitText, textWidth } from './width.ts'

const gap = '  '
/** Minimum width of a flexible column. Minor columns are omitted before a flexible column becomes narrower than this. */
const minWidth = 8
const easyWidth = 24

export interface TableColumn<Row> {
  readonly title: string
  /** The content; null and undefined are empty. Any text is safe, because it is sanitized. */
  readonly value: (row: Row) => unknown
  readonly align?: 'right'
  /** Width in an endless table; the width of the widest cell by default. */
  readonly width?: number
  /** Whether the column may be shortened if the terminal is too narrow. */
  readonly isFlexible?: true
  /** Whether the column is omitted if the terminal is too narrow. Of several such columns, the last one is omitted first. */
  readonly isMinor?: true
  readonly style?: (row: Row) => Style | undefined
}

/** Arranges rows in columns. The layout adapts when the terminal is resized. */
export type Table<Row> = ReturnType<typeof createTable<Row>>

interface SizedColumn<Row> {
  readonly column: TableColumn<Row>
  /** 0 for an omitted column. */
  readonly width: number
}

/**
 * Creates a table.
 *
 * @param sample rows from which the column widths are computed; later rows are cut or padded to these widths
 */
export function createTable<Row>(writer: Writer, columns: readonly TableColumn<Row>[], sample: readonly Row[]) {
  const natural = columns.map((column) => {
    const texts = [column.title, ...sample.map((row) => cellText(column.value(row)))]
    return { column, width: Math.max(column.width ?? 0, ...texts.map(textWidth)) }
  })
  let laidOut: readonly SizedColumn<Row>[] = []
  let laidOutFor: number | undefined
  const line = (cellOf: (column: TableColumn<Row>) => readonly [text: string, style: Style | undefined]) => {
    let left = writer.width()
    if (left !== laidOutFor) laidOut = fitWidths(natural, left)
    laidOutFor = left
    const parts: string[] = []
    for (const { column, width } of laidOut) {
      if (width === 0) continue
      const align = column.align ?? (column === columns.at(-1) ? 'none' : 'left')
      const [text, style] = cellOf(column)
      const shown = fitText(text, Math.min(width, left), align)
      parts.push(style === undefined ? shown : writer.paint(style, shown))
      left -= textWidth(shown) + gap.length
      if (left <= 0) break
    }
    return `${parts.join(gap).trimEnd()}\n`
  }
  return {
    head: () => line(({ title }) => [title, 'bold']),
    line: (row: Row) => line((column) => [cellText(column.value(row)), column.style?.(row)]),
  }
}

/** The text of a cell of any type. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return terminalText(typeof value === 'object' ? jsonText(value) : String(value))
}

/** Fits columns into the available width. Omits minor columns first, then narrows the flexible ones, the widest first. */
function fitWidths<Row>(natural: readonly SizedColumn<Row>[], available: number): readonly SizedColumn<Row>[] {
  const all = natural.map((sized) => ({ ...sized }))
  const flexible = all.filter(({ column }) => column.isFlexible)
  const minor = all.filter(({ column }) => column.isMinor)
  /** @param ease maximum width of a flexible column in this sum */
  const excess = (ease = Number.POSITIVE_INFINITY) => {
    const shown = all.filter(({ width }) => width > 0)
    const widths = shown.map(({ column, width }) => (column.isFlexible ? Math.min(width, ease) : width))
    return widths.reduce((sum, width) => sum + width + gap.length, -gap.length) - available
  }
  while (excess(easyWidth) > 0) {
    const last = minor.pop()
    if (!last) break
    last.width = 0
  }
  for (let over = excess(); over > 0; over = excess()) {
    const [widest, second] = flexible.filter(({ width }) => width > minWidth).sort((a, b) => b.width - a.width)
    if (!widest) break
    const next = second ? Math.min(second.width, widest.width - 1) : minWidth
    widest.width = Math.max(minWidth, widest.width - over, next)
  }
  return all
}
