import type { Writer } from '../context/writer.ts'
import { toJson } from './json.ts'
import type { Column } from './output.ts'
import { cleanText } from './text.ts'
import { fitText, textWidth } from './width.ts'

const gap = '  '
/** A flexible column is not made narrower than this; before it gets narrower than the other, minor columns go. */
const leastWidth = 8
const easyWidth = 24

/** Lays out rows in columns; the layout follows the terminal when it is resized. */
export interface Table<Row> {
  /** The titles, as a line with its end. */
  readonly head: () => string
  /** A row, as a line with its end. */
  readonly line: (row: Row) => string
}

/**
 * Makes a table.
 *
 * @param sample rows that tell how wide columns are; later ones are fitted into these
 */
export function createTable<Row>(writer: Writer, columns: readonly Column<Row>[], sample: readonly Row[]): Table<Row> {
  const natural = columns.map((column) =>
    Math.max(textWidth(column.title), column.width ?? 0, ...sample.map((row) => textWidth(toText(column.value(row))))),
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
      const own = widths[index] ?? 0
      if (own === 0) continue
      const isLast = index === cells.length - 1
      const align = columns[index]?.align ?? (isLast ? 'none' : 'left')
      const shown = fitText(cell, Math.min(own, left), align)
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
        columns.map((column) => toText(column.value(row))),
        (text, index) => {
          const style = columns[index]?.style?.(row)
          return style === undefined ? text : writer.paint(style, text)
        },
      ),
  }
}

/** What a cell of any type shows. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return cleanText(typeof value === 'object' ? toJson(value) : String(value))
}

/** Leaves out minor columns, then takes what is still too much from the flexible ones, the widest one first. */
function fitWidths(
  natural: readonly number[],
  columns: readonly Column<never>[],
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
      .filter((index) => columns[index]?.isFlexible && (widths[index] ?? 0) > leastWidth)
      .sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))
    if (widest === undefined) break
    const width = widths[widest] ?? 0
    const next = second === undefined ? leastWidth : Math.min(widths[second] ?? leastWidth, width - 1)
    widths[widest] = Math.max(leastWidth, width - excess, next)
  }
  return widths
}
