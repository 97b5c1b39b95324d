/** What the four formats have in common. */
import type { Style } from '../context/writer.ts'

export const formats = ['table', 'json', 'ndjson', 'csv'] as const
export type Format = (typeof formats)[number]

/** A column of a table. */
export interface Column<Row> {
  readonly title: string
  /** What the cell holds; null and undefined are shown as nothing. Any text is safe: it is cleaned. */
  readonly value: (row: Row) => unknown
  readonly align?: 'right'
  /** Columns of the terminal that it takes, where rows cannot be waited for (endless); the widest cell where absent. */
  readonly width?: number
  /** Is shortened where the line is too long for the terminal. */
  readonly isFlexible?: true
  /** Is left out where the terminal is too narrow; the last one first. */
  readonly isMinor?: true
  readonly style?: (row: Row) => Style | undefined
}

/** How records are shown. */
export interface View<Row> {
  /** For tables. */
  readonly columns: readonly Column<Row>[]
  /** For CSV: the fields of a record, in order. They stay the same, so that files can be appended. */
  readonly fields: readonly string[]
  /** The records never end (tail): each is printed as it comes, and an expression sees one record at a time. */
  readonly isEndless?: true
  /** The user asked for the credentials of visitors, which are hidden otherwise. */
  readonly showsCredentials?: true
}

/** Prints data on standard output in the format that was asked for: a table on a terminal, JSON or NDJSON elsewhere. */
export interface Output {
  readonly format: Format
  /** An expression (JMESPath) was given, so the data no longer has the command's own shape. */
  readonly isQueried: boolean
  /** Prints one value. JSON where no format was asked for and standard output is no terminal. */
  readonly value: (value: unknown) => Promise<void>
  /**
   * Prints records as they come. NDJSON where no format was asked for and standard output is no terminal. An expression sees
   * all of them as one array, whatever the format, so they are kept in memory then.
   */
  readonly records: <Row extends object>(rows: AsyncIterable<Row> | Iterable<Row>, view: View<Row>) => Promise<void>
}
