import type { Source } from '../rows/encoder.ts'

/** What is committed as one: a range `[from, to)` of a zone, aligned, in ms since 1970. */
export interface Window {
  readonly zone: string
  readonly from: number
  readonly to: number
}

/** The immutable output of a window. Revision 0 is the first; each later one holds only rows that no earlier one has. */
export interface Segment extends Window {
  readonly revision: number
  readonly source: Source
  readonly rows: number
  /** Size as stored, in bytes. */
  readonly bytes: number
  /** SHA-256 of the NDJSON lines before compression, in hex: the same for the same rows in any format. */
  readonly sha256: string
}
