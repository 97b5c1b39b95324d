/**
 * Rows of one zone as they were read, still as bytes: whole milliseconds, in order of the shown timestamp (§6 of the
 * design). Offsets instead of a slice a row keep millions of rows from becoming millions of objects.
 */
export interface RowBatch {
  /** JSON objects of v2, or lines of v1 without their ends; row n lies at `starts[n]` to `ends[n]`, exclusive. */
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** Shown timestamp of each row, milliseconds since 1970, ascending. */
  readonly times: Float64Array
  /** Every row before this time, in ms, exclusive, has been handed out. */
  readonly end: number
}
