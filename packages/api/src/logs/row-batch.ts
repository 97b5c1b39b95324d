import { parseJson } from '@cdn/kit/json'
import { decode } from '../bytes.ts'
import type { LogRow } from './row.ts'

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

/**
 * Selects the rows of a range from ordered rows, without copying them.
 *
 * @param from in ms, inclusive
 * @param to in ms, exclusive; also the end of the batch
 */
export function sliceRows(rows: Rows, from: number, to: number): RowBatch {
  const [first, last] = [position(rows.times, from), position(rows.times, to)]
  return {
    ...rows,
    starts: rows.starts.subarray(first, last),
    ends: rows.ends.subarray(first, last),
    times: rows.times.subarray(first, last),
    end: to,
  }
}

/** Counts the times within a range. `times` are ordered; `from` is inclusive, `to` exclusive. */
export function countIn(times: Float64Array, from: number, to: number): number {
  return position(times, to) - position(times, from)
}

function position(times: Float64Array, at: number): number {
  const index = times.findIndex((time) => time >= at)
  return index === -1 ? times.length : index
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
