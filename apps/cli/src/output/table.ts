import type { Style, Writer } from '../terminal/writer.ts'
import { cellText } from './cell.ts'
import { fitText, textWidth } from './width.ts'

const gap = '  '
/** Preferred minimum width of a flexible column, in characters: to reach it, other columns are omitted. */
const easyWidth = { key: 48, other: 24 }
/** Minimum width of a flexible column, in characters. */
const minWidth = 8
/** Maximum width of a column that is not a key, in characters, on a terminal. */
const maxWidth = 60

export interface TableColumn<Row> {
  readonly title: string
  /** The content; null and undefined are empty. Any text is safe, because it is sanitized. */
  readonly value: (row: Row) => unknown
  readonly align?: 'right'
  /** Minimum width in an endless table: when its first row is printed, later rows are unknown. */
  readonly width?: number
  /** Whether the column identifies the row: it is omitted last, and never cut on a terminal that is wide enough for it. */
  readonly isKey?: true
  readonly isFlexible?: true
  readonly style?: (row: Row) => Style | undefined
}

/** Arranges rows in columns. The layout adapts to wider cells, and to a resized terminal. */
export type Table<Row> = ReturnType<typeof createTable<Row>>

/**
 * Creates a table. On a narrow terminal, whole columns are omitted from the right.
 *
 * @param columns the most important first
 * @param sample rows from which the column widths are computed; a later, wider cell widens its column
 * @param now the current time: a time of today is shown without its date
 * @param isEndless whether columns have their declared widths, because most rows are not in the sample
 */
export function createTable<Row>(
  writer: Writer,
  columns: readonly TableColumn<Row>[],
  sample: readonly Row[],
  now: () => Date,
  isEndless = false,
) {
  const natural = columns.map(({ title, width = 0 }) => Math.max(isEndless ? width : 0, textWidth(title)))
  let shown: readonly number[] = []
  let shownFor: number | undefined
  const textsOf = (row: Row) => columns.map((column) => cellText(column.value(row), now()))
  const widen = (texts: readonly string[]) => {
    for (const [index, text] of texts.entries()) {
      const width = textWidth(text)
      if (width <= (natural[index] ?? 0)) continue
      natural[index] = width
      shownFor = undefined
    }
  }
  const line = (texts: readonly string[], styleOf: (column: TableColumn<Row>) => Style | undefined) => {
    const available = writer.width()
    if (available !== shownFor) shown = fitWidths(columns, natural, available)
    shownFor = available
    const last = shown.findLastIndex((width) => width > 0)
    let left = available
    const parts = columns.flatMap((column, index) => {
      // Flexible keys, and a key in the first column, are never omitted, so they may be wider than the terminal.
      const width = Math.min(shown[index] ?? 0, left)
      if (width <= 0) return []
      left -= width + gap.length
      const text = fitText(texts[index] ?? '', width, column.align ?? (index === last ? 'none' : 'left'))
      const style = styleOf(column)
      return [style === undefined ? text : writer.paint(style, text)]
    })
    return `${parts.join(gap).trimEnd()}\n`
  }
  for (const row of sample) widen(textsOf(row))
  return {
    head: () =>
      line(
        columns.map(({ title }) => title),
        () => 'bold',
      ),
    line: (row: Row) => {
      const texts = textsOf(row)
      widen(texts)
      return line(texts, (column) => column.style?.(row))
    },
  }
}

/**
 * Decides the widths; 0 for an omitted column. Omits columns from the right, and keys only if cutting is not enough. Then cuts the
 * flexible columns, the widest first.
 */
function fitWidths<Row>(
  columns: readonly TableColumn<Row>[],
  natural: readonly number[],
  available: number,
): readonly number[] {
  if (available === Number.POSITIVE_INFINITY) return natural
  const widths = natural.map((width, index) => (columns[index]?.isKey ? width : Math.min(width, maxWidth)))
  const excess = (minWidthOf: (column: TableColumn<Row> | undefined, width: number) => number) =>
    widths.reduce(
      (sum, width, index) => (width === 0 ? sum : sum + minWidthOf(columns[index], width) + gap.length),
      -gap.length - available,
    )
  const ease = (column: TableColumn<Row> | undefined, width: number) =>
    column?.isFlexible ? Math.min(width, column.isKey ? easyWidth.key : easyWidth.other) : width
  for (let index = columns.length - 1; index >= 0 && excess(ease) > 0; index--)
    if (!columns[index]?.isKey) widths[index] = 0
  const least = (column: TableColumn<Row> | undefined, width: number) =>
    column?.isFlexible ? Math.min(width, minWidth) : width
  for (let index = columns.length - 1; index > 0 && excess(least) > 0; index--)
    if (!columns[index]?.isFlexible) widths[index] = 0
  const whole = (_column: unknown, width: number) => width
  for (let over = excess(whole); over > 0; over = excess(whole)) {
    const flexible = [...widths.keys()].filter((index) => columns[index]?.isFlexible && (widths[index] ?? 0) > minWidth)
    const [widest, second] = flexible.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))
    if (widest === undefined) break
    const width = widths[widest] ?? 0
    const next = second === undefined ? minWidth : Math.min(widths[second] ?? 0, width - 1)
    widths[widest] = Math.max(minWidth, width - over, next)
  }
  return widths
}
