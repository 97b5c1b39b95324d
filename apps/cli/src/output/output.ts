import type { Style } from '../terminal/writer.ts'

export const outputFormats = ['table', 'json', 'ndjson', 'yaml', 'csv'] as const
export type OutputFormat = (typeof outputFormats)[number]

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

/** Presentation of records. */
export interface View<Row> {
  readonly columns: readonly TableColumn<Row>[]
  /** Fields of CSV records, in order. They never change, so that records can be appended to existing files. */
  readonly fields: readonly string[]
  /** Whether the list is endless (tail). Each record is printed immediately, and an expression receives one record at a time. */
  readonly isEndless?: true
  /** Whether to show credentials of visitors; hidden by default. */
  readonly showsCredentials?: true
}

/** Prints data on standard output in the chosen format. The default is a table on a terminal, and JSON or NDJSON otherwise. */
export interface DataOutput {
  readonly format: OutputFormat
  /** Whether a JMESPath expression transforms the data, so that the output no longer has the command's shape. */
  readonly isQueried: boolean
  /** Prints one value. Without a terminal, the default is JSON. */
  readonly value: (value: unknown) => Promise<void>
  /**
   * Prints records as they arrive. Without a terminal, the default is NDJSON. An expression receives all records as one array in
   * every format, so they are kept in memory.
   */
  readonly records: <Row extends object>(rows: AsyncIterable<Row> | Iterable<Row>, view: View<Row>) => Promise<void>
}

/** Fields of a log row that hold a visitor's credential (extended logging). */
const secretFields: ReadonlySet<string> = new Set(['authorizationHeader'])

export const masked = '[hidden]'

/**
 * Hides credentials of visitors.
 *
 * @param value any value parsed from JSON, at any depth
 * @returns the value itself if it has no credential, otherwise a copy with the credentials hidden
 */
export function mask(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map(mask)
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  let copy: Record<string, unknown> | undefined
  for (const [key, entry] of Object.entries(value)) {
    const hidden = secretFields.has(key) && entry !== null && entry !== undefined ? masked : mask(entry)
    if (hidden === entry) continue
    copy ??= { ...value }
    copy[key] = hidden
  }
  return copy ?? value
}
