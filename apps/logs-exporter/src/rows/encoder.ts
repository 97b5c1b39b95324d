import type { RowBatch } from './batch.ts'

/** Where rows come from: it stands in the column `source`. */
export type Source = 'v2' | 'v1'

/** Rows as every sink takes them: canonical NDJSON, whole lines each with its line feed. */
export interface Lines {
  readonly bytes: Uint8Array
  readonly rows: number
  /** Values in which a lone surrogate became U+FFFD. */
  readonly replaced: number
  /** Rows that could not be encoded, with the reason; they go to the reject file. */
  readonly rejects: readonly { readonly text: string; readonly reason: string }[]
}

/** Turns rows `first` to `last`, exclusive, of a batch into lines, with the rules for text and privacy (§7 of the design) applied. */
export type Encode = (batch: RowBatch, first: number, last: number) => Lines
