import { decode } from '@cdn/api/batches'
import { controls, firstOf, zeros } from './four-bytes.ts'

/**
 * JSON in its bytes: where values begin and end. What stands between is looked at only as far as that needs. The bytes are
 * taken as a DataView, by which four of a text can be looked at in one go; beyond their end it throws a RangeError.
 */

const [quote, comma, colon, backslash] = [34, 44, 58, 92]
const [bracket, bracketEnd, brace, braceEnd] = [91, 93, 123, 125]

/** Takes what begins at `at`, and gives the index after it. */
type Visit = (at: number) => number

/** @returns whether an object begins at `at` */
export function isObject(view: DataView, at: number): boolean {
  return view.getUint8(at) === brace
}

/** @returns whether a list begins at `at` */
export function isList(view: DataView, at: number): boolean {
  return view.getUint8(at) === bracket
}

/** @returns the index of the first byte from `at` on that is no space */
export function skipSpace(view: DataView, at: number): number {
  let next = at
  while (view.getUint8(next) <= 32) next++
  return next
}

/** @returns the index after the value at `at` */
export function valueEnd(view: DataView, at: number): number {
  let depth = 0
  for (let next = at; ; next++) {
    const byte = view.getUint8(next)
    if (byte === quote) {
      next = textEnd(view, next) - 1
      if (depth === 0) return next + 1
    } else if (byte === brace || byte === bracket) depth++
    else if (byte === braceEnd || byte === bracketEnd) {
      if (depth === 0) return next
      if (--depth === 0) return next + 1
    } else if (depth === 0 && (byte === comma || byte <= 32)) return next
  }
}

let isOdd = false

/** @returns the index after the text whose first quote stands at `at` */
export function textEnd(view: DataView, at: number): number {
  const last = view.byteLength - 4
  isOdd = false
  for (let next = at + 1; ; ) {
    if (next <= last) {
      const four = view.getUint32(next, true)
      const found = zeros(four ^ 0x22222222) | zeros(four ^ 0x5c5c5c5c) | controls(four)
      if (found === 0) {
        next += 4
        continue
      }
      next += firstOf(found)
    }
    const byte = view.getUint8(next++)
    if (byte === quote) return next
    if (byte === backslash) {
      isOdd = true
      next++
    } else if (byte < 32) isOdd = true
  }
}

/** @returns whether the text that `textEnd` went through last holds an escape or a control character */
export function wasOdd(): boolean {
  return isOdd
}

/**
 * Visits the elements of the list at `at`.
 *
 * @returns the index after it
 * @throws SyntaxError when it is no list
 */
export function eachElement(view: DataView, at: number, visit: Visit): number {
  return eachPart(view, at, bracketEnd, visit)
}

/**
 * Visits the members of the object at `at`: where the name begins, quote included, and where the value does.
 *
 * @returns the index after it
 * @throws SyntaxError when it is no object
 */
export function eachMember(view: DataView, at: number, visit: (name: number, value: number) => number): number {
  return eachPart(view, at, braceEnd, (name) => {
    const isName = view.getUint8(name) === quote
    const next = isName ? skipSpace(view, textEnd(view, name)) : name
    if (view.getUint8(next) !== colon) throw new SyntaxError('A name is missing')
    return visit(name, skipSpace(view, next + 1))
  })
}

function eachPart(view: DataView, at: number, close: number, visit: Visit): number {
  let next = skipSpace(view, at + 1)
  if (view.getUint8(next) === close) return next + 1
  for (;;) {
    next = skipSpace(view, visit(next))
    const byte = view.getUint8(next)
    if (byte === close) return next + 1
    if (byte !== comma) throw new SyntaxError('A comma is missing')
    next = skipSpace(view, next + 1)
  }
}

/**
 * Whether a member has a name, however that is written (`"d\u0061ta"`).
 *
 * @param at where the member's name begins, quote included
 */
export function hasName(view: DataView, at: number, name: string): boolean {
  for (let n = 0; n < name.length; n++) {
    const byte = view.getUint8(at + 1 + n)
    if (byte === backslash) return parseAt(view, at, textEnd(view, at)) === name
    if (byte !== name.charCodeAt(n)) return false
  }
  return view.getUint8(at + 1 + name.length) === quote
}

/** Parses the JSON from `start` to `end`, exclusive. */
export function parseAt({ buffer, byteOffset }: DataView, start: number, end: number): unknown {
  return JSON.parse(decode(new Uint8Array(buffer, byteOffset + start, end - start)))
}
