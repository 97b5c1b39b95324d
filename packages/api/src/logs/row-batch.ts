import { parseJson } from '@cdn/kit/json'
import { concat, decode } from '../fetch/body.ts'
import type { LogRow } from './row.ts'

/**
 * Received rows, still as bytes, in the order of time. Offsets in typed arrays, instead of one slice per row, keep millions of rows
 * from becoming millions of objects.
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
  /** After this batch, every row before this time, in ms, has been handed out. */
  readonly end: number
}

/**
 * Selects the rows of a range from ordered rows, without a copy.
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

/** Number of ordered times within a range, from inclusive, to exclusive. */
export function countIn(times: Float64Array, from: number, to: number): number {
  return position(times, to) - position(times, from)
}

/** The index of the first time at or after a point. */
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

/** Copies rows of one millisecond into a batch. */
export function packRows(rows: readonly Uint8Array[], time: number): RowBatch {
  const starts = new Uint32Array(rows.length)
  const ends = new Uint32Array(rows.length)
  let at = 0
  for (const [n, { length }] of rows.entries()) {
    starts[n] = at
    at += length
    ends[n] = at
  }
  return {
    bytes: concat(rows),
    starts,
    ends,
    times: new Float64Array(rows.length).fill(time),
    end: time + 1,
  }
}
