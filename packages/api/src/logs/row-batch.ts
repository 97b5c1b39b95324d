import { concat, decode } from '../bytes.ts'
import { parseJson } from '../json.ts'
import type { LogRow } from './row.ts'

/**
 * Rows as they came, still in bytes, in the order of time. Numbers beside the bytes, instead of a slice a row, keep millions
 * of rows from becoming millions of objects.
 */
export interface Rows {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Row n lies in `bytes` from `starts[n]` to `ends[n]`, exclusive. */
  readonly starts: Uint32Array
  readonly ends: Uint32Array
  /** The shown timestamp of each row, in milliseconds since 1970. */
  readonly times: Float64Array
  /** What the cutter noted of row n: its marks from `markStarts[n]` on, before `markStarts[n + 1]`. `cutRows` notes nothing. */
  readonly marks: Uint32Array
  readonly markStarts: Uint32Array
}

/** Rows of a range, handed out together; their bytes are gone when the next batch is asked for. */
export interface RowBatch extends Rows {
  /** Every row before this time, in ms, has been handed out once the batch has. */
  readonly end: number
}

/**
 * Takes the rows of a range out of ordered rows, without copying any.
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
    markStarts: rows.markStarts.subarray(first, last + 1),
    end: to,
  }
}

/** What rows have of which nothing was noted. */
export const unmarked = { marks: new Uint32Array(), markStarts: new Uint32Array() }

/** How many of ordered times lie in a range, from inclusive, to exclusive. */
export function countIn(times: Float64Array, from: number, to: number): number {
  return position(times, to) - position(times, from)
}

/** The index of the first time at or after a point. */
function position(times: Float64Array, at: number): number {
  const found = times.findIndex((time) => time >= at)
  return found === -1 ? times.length : found
}

/** @returns the bytes of row n; not a copy */
export function rowBytes({ bytes, starts, ends }: Rows, n: number): Uint8Array {
  return bytes.subarray(starts[n], ends[n])
}

/**
 * Makes an object of row n of version 2, with exact integers.
 *
 * @returns undefined when it is no JSON
 */
export function parseRow(rows: Rows, n: number): LogRow | undefined {
  try {
    return parseJson(decode(rowBytes(rows, n))) as LogRow
  } catch {
    return undefined // the parser's message quotes the row, which may hold a visitor's credential
  }
}

/** Puts rows of one millisecond together, copied, as what is handed out for it. */
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
    ...unmarked,
    bytes: concat(rows),
    starts,
    ends,
    times: new Float64Array(rows.length).fill(time),
    end: time + 1,
  }
}
