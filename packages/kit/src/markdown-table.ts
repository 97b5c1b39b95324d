/**
 * Creates a Markdown table. Cells are padded, so that the columns line up in the source.
 *
 * @param head the titles of the columns
 * @param rows the cells, escaped by the caller
 * @param right indexes of the columns that are aligned to the right
 */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  right: readonly number[] = [],
): string {
  const widths = head.map((title, column) => Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => pad(cells[column] ?? '', width, right.includes(column))).join(' | ')} |`
  const rule = widths.map((width, column) => (right.includes(column) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)))
  return [line(head), line(rule), ...rows.map(line)].join('\n')
}

function pad(text: string, width: number, isRight: boolean): string {
  return isRight ? text.padStart(width) : text.padEnd(width)
}
