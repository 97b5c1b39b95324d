/** JSON whose 64-bit integers are exact: a JavaScript number loses them above 2^53. */

// Where no run of digits stands as a number does (ids in quotes do not), nothing needs care; a false alarm costs time only.
const longDigits = /(?:^|[[:,\s])-?\d{16}/
// A string (with the colon, where it is a key) or a number; whatever else stands in the text is left to JSON.parse.
const token = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"(\s*:)?|-?\d[\d.eE+-]*/g
const longInteger = /^-?[1-9]\d{15,}$/

/**
 * Parses JSON as `JSON.parse` does, except that an integer of 16 digits or more which no number can hold comes out as a
 * bigint. Texts without such a run of digits take the fast path. (A reviver sees the source text only from Node 21 on,
 * so the long integers are marked in the text instead.)
 *
 * @param text the JSON text
 * @returns the value
 * @throws SyntaxError when the text is no JSON
 */
export function parseJson(text: string): unknown {
  if (!longDigits.test(text)) return JSON.parse(text)
  return JSON.parse(text.replace(token, mark), (_key, value) => (typeof value === 'string' ? unmark(value) : value))
}

/** `#` marks a long integer; a string that could be taken for marked gets a `$`, which is taken off again. */
function mark(found: string, colon: string | undefined): string {
  if (found[0] !== '"') return longInteger.test(found) ? `"#${found}"` : found
  return colon === undefined && /^"[#$\\]/.test(found) ? `"$${found.slice(1)}` : found
}

function unmark(value: string): unknown {
  if (value[0] === '$') return value.slice(1)
  return value[0] === '#' ? toInteger(value.slice(1)) : value
}

/**
 * Reads decimal digits exactly.
 *
 * @param digits an optional minus sign and digits, nothing else
 * @returns a number where it is exact, else a bigint
 */
export function toInteger(digits: string): number | bigint {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : BigInt(digits)
}
