import type { BatchSource } from '../rows/batch.ts'

/** A range `[from, to)` in ms since 1970. */
export interface ExportRange {
  readonly from: number
  readonly to: number
}

/** The unit of commits: an aligned range of a zone. */
export interface Window extends ExportRange {
  readonly zone: string
}

/** The immutable output of a window. Revision 0 is the first. Each later revision holds only rows that no earlier one has. */
export interface Segment extends Window {
  readonly revision: number
  readonly source: BatchSource
  readonly rows: number
  /** Stored size, in bytes. */
  readonly bytes: number
  /** SHA-256 of the NDJSON lines before compression, in hex. It does not depend on the format. */
  readonly sha256: string
}
