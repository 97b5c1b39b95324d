/** Types shared by all formats. */
import type { Style } from '../terminal/writer.ts'

export const outputFormats = ['table', 'json', 'ndjson', 'yaml', 'csv'] as const
export type OutputFormat = (typeof outputFormats)[number]

/** A column of a table. */
export interface TableColumn<Row> {
  readonly title: string
  /** The content; null and undefined are empty. Any text is safe, because it is sanitized. */
  readonly value: (row: Row) => unknown
  readonly align?: 'right'
  /** Width in an endless table; the widest cell by default. */
  readonly width?: number
  /** Whether the column may be shortened if the terminal is too narrow. */
  readonly isFlexible?: true
  /** Whether the column is omitted if the terminal is too narrow; the last such column first. */
  readonly isMinor?: true
  readonly style?: (row: Row) => Style | undefined
}

/** Presentation of records. */
export interface View<Row> {
  /** Columns of tables. */
  readonly columns: readonly TableColumn<Row>[]
  /** Fields of CSV records, in order. They never change, so that files can be appended. */
  readonly fields: readonly string[]
  /** Whether the list is endless (tail): each record is printed immediately, and an expression sees one record at a time. */
  readonly isEndless?: true
  /** Whether to show credentials of visitors; hidden by default. */
  readonly showsCredentials?: true
}

/** Prints data on standard output in the chosen format; by default a table on a terminal, JSON or NDJSON otherwise. */
export interface DataOutput {
  readonly format: OutputFormat
  /** Whether an expression (JMESPath) transforms the data, so that it does not have the command's shape. */
  readonly isQueried: boolean
  /** Prints one value; JSON by default without a terminal. */
  readonly value: (value: unknown) => Promise<void>
  /**
   * Prints records as they arrive; NDJSON by default without a terminal. An expression sees all records as one array in every format,
   * which keeps them in memory.
   */
  readonly records: <Row extends object>(rows: AsyncIterable<Row> | Iterable<Row>, view: View<Row>) => Promise<void>
}
