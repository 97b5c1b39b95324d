import { type Rows, unmarked } from './row-batch.ts'

const [lineFeed, carriageReturn, pipe] = [10, 13, 124]
/** A timestamp has at most so many digits; more are none. */
const mostDigits = 15

/** Lines as they were found. */
export interface CutLines {
  readonly rows: Rows
  /** Whether one of them shows a time. */
  readonly isTimed: boolean
}

/**
 * Finds lines of version 1 and their times (the third field, supplement) in bytes, without making anything of the other
 * fields: a line may still turn out to be malformed.
 *
 * @param bytes whole lines, also with CRLF; the last one may lack its end
 * @param before the time that a first line without one gets, in ms
 * @returns the lines without their ends, blank ones left out; a line without a time has that of the line before it
 */
export function cutLines(bytes: Uint8Array<ArrayBuffer>, before: number): CutLines {
  const starts: number[] = []
  const ends: number[] = []
  const times: number[] = []
  let time = before
  let isTimed = false
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(lineFeed, start)
    const next = found === -1 ? bytes.length : found
    const end = bytes[next - 1] === carriageReturn && next > start ? next - 1 : next
    if (!isBlank(bytes, start, end)) {
      const own = timeOf(bytes, start, end)
      if (own !== undefined) {
        time = own
        isTimed = true
      }
      starts.push(start)
      ends.push(end)
      times.push(time)
    }
    start = next + 1
  }
  const rows = {
    ...unmarked,
    bytes,
    starts: Uint32Array.from(starts),
    ends: Uint32Array.from(ends),
    times: Float64Array.from(times),
  }
  return { rows, isTimed }
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if ((bytes[at] as number) > 32) return false
  return true
}

function timeOf(bytes: Uint8Array, start: number, end: number): number | undefined {
  let at = start
  for (let pipes = 0; pipes < 2; at++) {
    if (at >= end) return undefined
    if (bytes[at] === pipe) pipes++
  }
  const first = at
  let time = 0
  for (; at < end && bytes[at] !== pipe; at++) {
    const digit = (bytes[at] as number) - 48
    if (digit < 0 || digit > 9) return undefined
    time = time * 10 + digit
  }
  return at > first && at - first <= mostDigits ? time : undefined
}
