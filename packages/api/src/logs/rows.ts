import { parseJson } from '@cdn/kit/json'
import { decode } from '../bytes.ts'
import type { components } from '../gen/logging.ts'

/** One request, as version 2 shows it. Unknown fields and cache statuses are passed on unchanged. */
export interface LogRow extends Readonly<LogEntry> {
  readonly [field: string]: unknown
}
type LogEntry = components['schemas']['LogEntry']

/**
 * Received rows as bytes, ordered by time. Each row is a pair of offsets in typed arrays. One slice per row would create millions
 * of objects.
 */
export interface Rows {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Row n is in `bytes` from `starts[n]` to `ends[n]`, exclusive. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** The shown timestamp of each row, in milliseconds since 1970. */
  readonly times: Float64Array
}

/** A batch of rows of a range; its bytes are reused when the next batch is requested. */
export interface RowBatch extends Rows {
  /** Time in ms. Every row before this time is in this batch or an earlier one. */
  readonly end: number
}

/** @returns the bytes of row n; not a copy */
export function rowBytes({ bytes, starts, ends }: Rows, n: number): Uint8Array {
  return bytes.subarray(starts[n], ends[n])
}

/**
 * Parses row n of version 2, with exact integers.
 *
 * @returns undefined for invalid JSON
 */
export function parseRow(rows: Rows, n: number): LogRow | undefined {
  try {
    return parseJson(decode(rowBytes(rows, n))) as LogRow // as the contract states it; not validated
  } catch {
    return undefined // the parser's message quotes the row, which may hold a visitor's credential
  }
}
