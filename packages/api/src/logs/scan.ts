import { decode } from '../bytes.ts'

/** JSON in its bytes: where values begin and end. What stands between is looked at only as far as that needs. */

const [quote, comma, colon, backslash] = [34, 44, 58, 92]
const [bracket, bracketEnd, brace, braceEnd] = [91, 93, 123, 125]

/** Takes what begins at `at`, and gives the index after it. */
type Visit = (at: number) => number

/** @returns whether an object begins at `at` */
export function isObject(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === brace
}

/** @returns whether a list begins at `at` */
export function isList(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === bracket
}

/** @returns the index of the first byte from `at` on that is no space */
export function skipSpace(bytes: Uint8Array, at: number): number {
  let next = at
  while ((bytes[next] as number) <= 32) next++
  return next
}

/**
 * Finds the end of the value at `at`.
 *
 * @returns the index after it
 * @throws SyntaxError when the bytes end before it
 */
export function valueEnd(bytes: Uint8Array, at: number): number {
  let depth = 0
  for (let next = at; next < bytes.length; ) {
    const byte = bytes[next]
    if (byte === quote) {
      next = stringEnd(bytes, next)
      if (depth === 0) return next
      continue
    }
    if (byte === brace || byte === bracket) depth++
    else if (byte === braceEnd || byte === bracketEnd) {
      if (depth === 0) return next
      if (--depth === 0) return next + 1
    } else if (depth === 0 && (byte === comma || (byte as number) <= 32)) return next
    next++
  }
  throw new SyntaxError('The JSON ends too early')
}

function stringEnd(bytes: Uint8Array, at: number): number {
  for (let next = at + 1; next < bytes.length; next++) {
    const byte = bytes[next]
    if (byte === quote) return next + 1
    if (byte === backslash) next++
  }
  throw new SyntaxError('The JSON ends within a string')
}

/**
 * Visits the elements of the list at `at`.
 *
 * @returns the index after it
 * @throws SyntaxError when it is no list
 */
export function eachElement(bytes: Uint8Array, at: number, visit: Visit): number {
  return eachPart(bytes, at, bracketEnd, visit)
}

/**
 * Visits the members of the object at `at`: where the name begins, quote included, and where the value does.
 *
 * @returns the index after it
 * @throws SyntaxError when it is no object
 */
export function eachMember(bytes: Uint8Array, at: number, visit: (name: number, value: number) => number): number {
  return eachPart(bytes, at, braceEnd, (name) => {
    const next = skipSpace(bytes, valueEnd(bytes, name))
    if (bytes[name] !== quote || bytes[next] !== colon) throw new SyntaxError('The JSON has a member without a name')
    return visit(name, skipSpace(bytes, next + 1))
  })
}

function eachPart(bytes: Uint8Array, at: number, close: number, visit: Visit): number {
  let next = skipSpace(bytes, at + 1)
  if (bytes[next] === close) return next + 1
  for (;;) {
    next = skipSpace(bytes, visit(next))
    if (bytes[next] === close) return next + 1
    if (bytes[next] !== comma) throw new SyntaxError('The JSON lacks a comma')
    next = skipSpace(bytes, next + 1)
  }
}

/**
 * Whether a member has a name, however that is written (`"d\u0061ta"`).
 *
 * @param at where the member's name begins, quote included
 */
export function hasName(bytes: Uint8Array, at: number, name: string): boolean {
  for (let n = 0; n < name.length; n++) {
    const byte = bytes[at + 1 + n]
    if (byte === backslash) return JSON.parse(decode(bytes.subarray(at, stringEnd(bytes, at)))) === name
    if (byte !== name.charCodeAt(n)) return false
  }
  return bytes[at + 1 + name.length] === quote
}
