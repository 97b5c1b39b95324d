import { terminalText } from '@cdn/kit/text'
import type { Writer } from '../terminal/writer.ts'
import { jsonText } from './json.ts'
import type { TableColumn } from './output.ts'
import { fitText, textWidth } from './width.ts'

const gap = '  '
/** Minimum width of a flexible column; below it, minor columns are omitted. */
const minWidth = 8
const easyWidth = 24

/** Lays out rows in columns; the layout adapts when the terminal is resized. */
export interface Table<Row> {
  /** The titles, as a line with its line end. */
  readonly head: () => string
  /** A row, as a line with its line end. */
  readonly line: (row: Row) => string
}

/**
 * Creates a table.
 *
 * @param sample rows that decide the column widths; later rows are fitted into them
 */
export function createTable<Row>(
  writer: Writer,
  columns: readonly TableColumn<Row>[],
  sample: readonly Row[],
): Table<Row> {
  const natural = columns.map((column) =>
    Math.max(
      textWidth(column.title),
      column.width ?? 0,
      ...sample.map((row) => textWidth(cellText(column.value(row)))),
    ),
  )
  let widths: readonly number[] = []
  let laidOutFor: number | undefined
  const layOut = () => {
    const width = writer.width()
    if (width !== laidOutFor) widths = fitWidths(natural, columns, width)
    laidOutFor = width
    return width
  }
  const line = (cells: readonly string[], paint: (text: string, index: number) => string): string => {
    const width = layOut()
    const parts: string[] = []
    let left = width
    for (const [index, cell] of cells.entries()) {
      const columnWidth = widths[index] ?? 0
      if (columnWidth === 0) continue
      const isLast = index === cells.length - 1
      const align = columns[index]?.align ?? (isLast ? 'none' : 'left')
      const shown = fitText(cell, Math.min(columnWidth, left), align)
      parts.push(paint(shown, index))
      left -= textWidth(shown) + gap.length
      if (left <= 0) break
    }
    return `${parts.join(gap).trimEnd()}\n`
  }
  return {
    head: () =>
      line(
        columns.map(({ title }) => title),
        (text) => writer.paint('bold', text),
      ),
    line: (row) =>
      line(
        columns.map((column) => cellText(column.value(row))),
        (text, index) => {
          const style = columns[index]?.style?.(row)
          return style === undefined ? text : writer.paint(style, text)
        },
      ),
  }
}

/** The text of a cell of any type. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return terminalText(typeof value === 'object' ? jsonText(value) : String(value))
}

/** Omits minor columns, then narrows the flexible ones, the widest first. */
function fitWidths(
  natural: readonly number[],
  columns: readonly TableColumn<never>[],
  available: number,
): readonly number[] {
  const widths = [...natural]
  const sumOf = (all: readonly number[]) =>
    all.reduce((sum, width) => sum + (width === 0 ? 0 : width + gap.length), -gap.length)
  const easy = () => widths.map((width, index) => (columns[index]?.isFlexible ? Math.min(width, easyWidth) : width))
  const minor = [...columns.keys()].filter((index) => columns[index]?.isMinor)
  while (sumOf(easy()) > available) {
    const last = minor.pop()
    if (last === undefined) break
    widths[last] = 0
  }
  for (let excess = sumOf(widths) - available; excess > 0; excess = sumOf(widths) - available) {
    const [widest, second] = [...widths.keys()]
      .filter((index) => columns[index]?.isFlexible && (widths[index] ?? 0) > minWidth)
      .sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))
    if (widest === undefined) break
    const width = widths[widest] ?? 0
    const next = second === undefined ? minWidth : Math.min(widths[second] ?? minWidth, width - 1)
    widths[widest] = Math.max(minWidth, width - excess, next)
  }
  return widths
}
