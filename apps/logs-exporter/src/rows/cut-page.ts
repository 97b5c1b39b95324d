import { isUtf8 } from 'node:buffer'
import { type Cut, decode, parseJson, parseTimestamp } from '@cdn/api/batches'
import type { PrivacyConfig } from '../config/config.ts'
import { createMarks } from './entry-marks.ts'
import { eachElement, eachMember, hasName, isList, isObject, parseAt, skipSpace, valueEnd } from './json-bytes.ts'
import { createPrivacy } from './privacy.ts'

/**
 * Makes the function that finds the rows of a page of version 2, the time that each shows, and the marks by which the encoder of
 * the same privacy puts its line together. What is no JSON within the braces of a row is not noticed.
 *
 * @returns throws SyntaxError or RangeError when the body is no JSON around its rows; rows beyond those asked for are left out, and
 *   so missed where the page counts them; the time of one without a proper `timestamp` is NaN
 */
export function createPageCutter(privacy: PrivacyConfig): Cut {
  const marks = createMarks(createPrivacy(privacy, false).fields)
  let room = roomFor(0)
  return (bytes, most) => {
    if (room.starts.length < most) room = roomFor(most)
    const { starts, ends, times, markStarts } = room
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    const timeOf = createTimeReader(view)
    const isPlain = isUtf8(bytes)
    let count = 0
    let time = Number.NaN
    const readMember = (name: number, value: number) => {
      const end = valueEnd(view, value)
      if (hasName(view, name, 'timestamp')) time = timeOf(value, end)
      return end
    }
    const readElement = (at: number) => {
      const noted = marks.count
      let end = count < most ? marks.note(view, at) : -1
      if (end !== -1 && !isPlain && !isUtf8(bytes.subarray(at, end))) {
        marks.shorten(noted)
        end = -1
      }
      if (end === -1) {
        time = Number.NaN
        end = isObject(view, at) ? eachMember(view, at, readMember) : valueEnd(view, at)
      } else time = timeOf(marks.time.start, marks.time.end)
      if (Number.isNaN(time)) marks.shorten(noted)
      starts[count] = at
      ends[count] = end
      times[count] = time
      markStarts[++count] = marks.count
      return end
    }
    const envelope: Uint8Array[] = []
    let kept = 0
    const start = skipSpace(view, bytes[0] === 0xef ? 3 : 0) // a byte order mark
    if (isObject(view, start)) {
      eachMember(view, start, (name, value) => {
        if (!hasName(view, name, 'data')) return valueEnd(view, value)
        count = 0 // of two members with one name the last counts
        marks.shorten(0)
        const end = isList(view, value) ? eachElement(view, value, readElement) : valueEnd(view, value)
        if (count > 0) {
          envelope.push(bytes.subarray(kept, value + 1))
          kept = end - 1
        }
        return end
      })
    }
    envelope.push(bytes.subarray(kept))
    count = Math.min(count, most)
    return {
      bytes,
      starts: starts.slice(0, count),
      ends: ends.slice(0, count),
      times: times.slice(0, count),
      marks: marks.take(),
      markStarts: markStarts.slice(0, count + 1),
      envelope: parseJson(decode(Buffer.concat(envelope))),
    }
  }
}

/** Where rows are noted until their number is known. */
function roomFor(rows: number) {
  return {
    starts: new Uint32Array(rows),
    ends: new Uint32Array(rows),
    times: new Float64Array(rows),
    markStarts: new Uint32Array(rows + 1),
  }
}

const [zero, dot] = [48, 46]

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
  const isSame = (start: number) => {
    for (let n = 24; n < length; n++) if (view.getUint8(start + n) !== view.getUint8(known + n)) return false
    return (
      view.getUint8(start + 20) === dot &&
      view.getInt16(start + 16) === view.getInt16(known + 16) &&
      view.getInt32(start + 12) === view.getInt32(known + 12) &&
      view.getInt32(start + 8) === view.getInt32(known + 8) &&
      view.getInt32(start + 4) === view.getInt32(known + 4) &&
      view.getInt32(start) === view.getInt32(known)
    )
  }
  const digit = (at: number) => {
    const value = view.getUint8(at) - zero
    return value >= 0 && value <= 9 ? value : 60_000
  }
  return (start, end) => {
    // Of "2026-11-20T00:00:12.345Z", quotes included, 18 and 19 are the seconds and 21 to 23 the milliseconds.
    if (end - start === length && isSame(start)) {
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
