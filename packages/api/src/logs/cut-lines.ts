import type { Rows } from './page.ts'

const [lineFeed, carriageReturn, pipe] = [10, 13, 124]
const maxDigits = 15

/** The lines of a chunk of bytes. */
export interface CutLines {
  readonly rows: Rows
  /** Whether at least one line has a time. */
  readonly isTimed: boolean
}

/**
 * Finds lines of version 1 and their times in bytes. The time is the third field (supplement). The other fields are not parsed, so
 * a line may still be malformed.
 *
 * @param bytes whole lines, with LF or CRLF; the last line may lack its line end
 * @param before time of a first line without a time, in ms
 * @returns the lines without line ends and blank lines; a line without a time gets the time of the previous line
 */
export function cutLines(bytes: Uint8Array<ArrayBuffer>, before: number): CutLines {
  const starts: number[] = []
  const ends: number[] = []
  const times: number[] = []
  let time = before
  let isTimed = false
  for (let start = 0; start < bytes.length; ) {
    const lineEnd = bytes.indexOf(lineFeed, start)
    const next = lineEnd === -1 ? bytes.length : lineEnd
    const end = bytes[next - 1] === carriageReturn && next > start ? next - 1 : next
    if (!isBlank(bytes, start, end)) {
      const shown = timeOf(bytes, start, end)
      if (shown !== undefined) {
        time = shown
        isTimed = true
      }
      starts.push(start)
      ends.push(end)
      times.push(time)
    }
    start = next + 1
  }
  const rows = {
    bytes,
    starts: Uint32Array.from(starts),
    ends: Uint32Array.from(ends),
    times: Float64Array.from(times),
  }
  return { rows, isTimed }
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  // The index is within bounds. A check per byte would cost time.
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
    const digit = (bytes[at] as number) - 48 // within bounds
    if (digit < 0 || digit > 9) return undefined
    time = time * 10 + digit
  }
  return at > first && at - first <= maxDigits ? time : undefined
}
