import { concat, decode } from '../bytes.ts'
import { parseJson } from '../json.ts'
import { parseTimestamp } from './instant.ts'
import type { Rows } from './row-batch.ts'
import { eachElement, eachMember, hasName, isList, isObject, parseAt, seen, skipSpace, valueEnd } from './scan.ts'

/** A page whose rows were found in its bytes, and not parsed. */
export interface CutPage extends Rows {
  /** The answer without its rows, parsed: `data` is an empty list where there was any list. */
  readonly envelope: unknown
}

/** How many members a row may have on average so that all of them are noted. */
const expectedMembers = 24

/**
 * Finds the rows of a page of version 2, so that a page of 10,000 does not become as many objects: the elements of `data`,
 * wherever it stands, with the time that each shows. What is no JSON within the braces of a row is not noticed.
 *
 * @param bytes the whole body
 * @param most how many rows it may have; further ones are left out, and so missed where the page counts them
 * @returns the rows; the time of an element without a proper `timestamp` is NaN
 * @throws SyntaxError when the body is no JSON around its rows, because it is empty, cut short, or something else
 */
export function cutPage(bytes: Uint8Array<ArrayBuffer>, most: number): CutPage {
  const starts = new Uint32Array(most)
  const ends = new Uint32Array(most)
  const times = new Float64Array(most)
  const names = new Uint32Array(most * expectedMembers)
  const nameStarts = new Uint32Array(most + 1)
  const isOdd = new Uint8Array(most)
  let named = 0
  let count = 0
  const envelope: Uint8Array[] = []
  let kept = 0
  let time = Number.NaN
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const timeOf = createTimeReader(view)
  const readMember = (name: number, value: number) => {
    names[named++] = name // not those beyond its length
    const end = valueEnd(view, value)
    if (hasName(view, name, 'timestamp')) time = timeOf(value, end)
    return end
  }
  const readElement = (at: number) => {
    time = Number.NaN
    seen.isOdd = false
    const end = isObject(view, at) ? eachMember(view, at, readMember) : valueEnd(view, at)
    starts[count] = at
    ends[count] = end
    times[count] = time
    isOdd[count++] = seen.isOdd || named > names.length ? 1 : 0
    nameStarts[count] = named
    return end
  }
  const start = skipSpace(view, bytes[0] === 0xef ? 3 : 0) // a byte order mark
  if (isObject(view, start)) {
    eachMember(view, start, (name, value) => {
      if (!hasName(view, name, 'data')) return valueEnd(view, value)
      count = named = 0 // of two members with one name the last counts
      const end = isList(view, value) ? eachElement(view, value, readElement) : valueEnd(view, value)
      if (count > 0) {
        envelope.push(bytes.subarray(kept, value + 1))
        kept = end - 1
      }
      return end
    })
  }
  envelope.push(bytes.subarray(kept))
  return {
    bytes,
    starts: starts.subarray(0, count),
    ends: ends.subarray(0, count),
    times: times.subarray(0, count),
    names,
    nameStarts: nameStarts.subarray(0, count + 1),
    isOdd: isOdd.subarray(0, count),
    envelope: parseJson(decode(concat(envelope))),
  }
}

/**
 * Reads the timestamps of a page. Its rows are in order, so most of them differ from the one before in seconds and
 * milliseconds only, and those digits are all that is read; `Date.parse` takes ten times as long.
 *
 * @returns a function of start and end of a JSON value; it gives milliseconds, NaN where the value is no timestamp
 */
function createTimeReader(view: DataView): (start: number, end: number) => number {
  let known = 0
  let length = 0
  let minute = 0
  const isSame = (start: number, from: number, to: number) => {
    for (let n = from; n < to; n++) if (view.getUint8(start + n) !== view.getUint8(known + n)) return false
    return true
  }
  const digit = (at: number) => {
    const value = view.getUint8(at) - 48
    return value >= 0 && value <= 9 ? value : Number.NaN
  }
  return (start, end) => {
    // Of "2026-11-20T00:00:12.345Z", quotes included, 18 and 19 are the seconds and 21 to 23 the milliseconds.
    if (end - start === length && isSame(start, 0, 18) && isSame(start, 20, 21) && isSame(start, 24, length)) {
      const seconds = digit(start + 18) * 10 + digit(start + 19)
      const ms = seconds * 1000 + digit(start + 21) * 100 + digit(start + 22) * 10 + digit(start + 23)
      if (ms < 60_000) return minute + ms
    }
    const text = String(parseAt(view, start, end))
    const time = parseTimestamp(text)
    known = start
    length = time > 0 && /^[^\\]{17}\d\d\.\d{3}(Z|[+-]..:..)$/i.test(text) ? end - start : 0
    minute = Math.floor(time / 60_000) * 60_000
    return time
  }
}
