/** One line of the table: a figure of ours, and what it is held against. */
export interface Row {
  readonly what: string
  /** As measured, with its unit. */
  readonly ours: string
  /** Name and figure of the peer, measured in the same run; or the bound alone. */
  readonly peer: string
  /** What the figure must be, in words. */
  readonly bound: string
  readonly met: boolean
}

/** A measurement of one kind of thing. */
export interface Measurement {
  /** For `--only`. */
  readonly name: string
  run(): Promise<Row[]>
}

/** @returns the rows as a Markdown table */
export function toTable(rows: readonly (Row & { readonly repeat: string })[]): string {
  const head = ['measured', 'ours', 'beside it', 'wanted', 'met', 'repeat with']
  const lines = rows.map((row) => [row.what, row.ours, row.peer, row.bound, row.met ? 'yes' : 'NO', row.repeat])
  const widths = head.map((title, column) =>
    Math.max(...[head, ...lines].map((line) => line[column]?.length ?? title.length)),
  )
  const format = (line: readonly string[]) =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return [format(head), format(widths.map((width) => '-'.repeat(width))), ...lines.map(format)].join('\n')
}

/** @returns a number to three digits, thousands apart */
export function digits(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en')
}
