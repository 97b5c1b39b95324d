/**
 * Values of JSON in their one form, recognised in bytes: each function gives the index after the value, or -1. The bytes are
 * taken as a DataView; beyond their end it throws a RangeError.
 */

const [minus, zero] = [45, 48]

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

function isDigit(byte: number): boolean {
  return byte >= zero && byte <= 57
}
