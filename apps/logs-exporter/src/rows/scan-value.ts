import { firstOf, unquotable } from './four-bytes.ts'

/**
 * Values of JSON in their one form, recognised in bytes: each function gives the index after the value, or -1. The bytes are
 * taken as a DataView, by which four of a text can be looked at in one go; beyond their end it throws a RangeError.
 */

const [quote, backslash, minus, zero] = [34, 92, 45, 48]

/** What the text that was scanned last holds beside plain ASCII; a text is scanned for each value, so nothing is made of it. */
export const scanned = { hasEscape: false, hasNonAscii: false }

/** A text without raw control characters, in quotes. What it holds stands in `scanned`. */
export function scanText(view: DataView, at: number, end: number): number {
  if (view.getUint8(at) !== quote) return -1
  scanned.hasEscape = false
  scanned.hasNonAscii = false
  const last = view.byteLength - 4
  for (let next = at + 1; next < end; ) {
    if (next <= last) {
      const four = view.getUint32(next, true)
      const found = unquotable(four)
      if (found === 0) {
        next += 4
        continue
      }
      next += firstOf(found)
    }
    const byte = view.getUint8(next++)
    if (byte === quote) return next
    if (byte === backslash) {
      scanned.hasEscape = true
      next++
    } else if (byte < 32) return -1
    else if (byte > 127) scanned.hasNonAscii = true
  }
  return -1
}

/** Digits that an integer may have without its size being looked at. */
export const mostDigits = { int32: 9, int64: 15 }

/** An integer as it is written in decimal, of a few digits only. */
export function scanInteger(view: DataView, at: number, mostDigits: number): number {
  const first = view.getUint8(at) === minus ? at + 1 : at
  let next = first
  while (isDigit(view.getUint8(next))) next++
  const digits = next - first
  if (digits === 0 || digits > mostDigits) return -1
  // No zero before others, and no -0.
  return view.getUint8(first) === zero && (digits > 1 || first > at) ? -1 : next
}

/** `null` */
export function scanNull(view: DataView, at: number): number {
  const isNull =
    view.getUint8(at) === 110 &&
    view.getUint8(at + 1) === 117 &&
    view.getUint8(at + 2) === 108 &&
    view.getUint8(at + 3) === 108
  return isNull ? at + 4 : -1
}

/** The digits of `"2026-11-20T00:00:00.000Z"`, and the signs between them, by their places; 0 is a digit. */
const timePattern = [...'"0000-00-00T00:00:00.000'].map((sign) => sign.charCodeAt(0))
/** How the zone may be written: UTC was seen in both forms (supplement). */
const [utc, offset] = ['Z"', '+00:00"'].map((zone) => [...zone].map((sign) => sign.charCodeAt(0))) as [
  number[],
  number[],
]

/** Bytes of a timestamp to the millisecond, with its first quote and without its zone. */
export const timeLength = timePattern.length

/** A timestamp to the millisecond, in UTC, of a time of day that exists; its date is for others to check. */
export function scanTime(view: DataView, at: number): number {
  for (let n = 0; n < timeLength; n++) {
    const sign = timePattern[n]
    if (sign === zero ? !isDigit(view.getUint8(at + n)) : view.getUint8(at + n) !== sign) return -1
  }
  const hour = (view.getUint8(at + 12) - zero) * 10 + view.getUint8(at + 13) - zero
  if (hour > 23) return -1
  const zone = view.getUint8(at + timeLength) === utc[0] ? utc : offset
  for (let n = 0; n < zone.length; n++) if (view.getUint8(at + timeLength + n) !== zone[n]) return -1
  return at + timeLength + zone.length
}

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= 57
}
