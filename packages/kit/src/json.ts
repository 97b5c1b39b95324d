/** JSON with exact 64-bit integers. A JavaScript number is exact only up to 2^53. */

// Text without this pattern has no long integer and takes the fast path. A false match only costs time.
const longDigits = /(?:^|[[:,\s])-?\d{16}/
// A string (with the colon, if it is a key) or a number in valid JSON. On an unterminated string it would take quadratic time.
const token = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"(\s*:)?|-?\d[\d.eE+-]*/g
// A BigInt of many digits takes quadratic time. No integer of 64 bits has more than 20.
const longInteger = /^-?[1-9]\d{15,39}$/

/**
 * Parses JSON like `JSON.parse`, except that an integer of 16 to 40 digits that is not exact as a number becomes a bigint.
 * Long integers are marked in valid JSON, which is then parsed again. A reviver could read the source text instead, but only in
 * Node 21 or later and not in every browser. Takes linear time on any text.
 *
 * @param text the JSON text
 * @returns the value
 * @throws SyntaxError for invalid JSON
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!longDigits.test(text)) return value
  return JSON.parse(text.replace(token, mark), (_key, value) => (typeof value === 'string' ? unmark(value) : value))
}

/** Marks a long integer with `#`. Adds `$` to a string that looks like a mark; `unmark` removes the `$`. */
function mark(match: string, colon: string | undefined): string {
  if (match[0] !== '"') return longInteger.test(match) ? `"#${match}"` : match
  return colon === undefined && /^"[#$\\]/.test(match) ? `"$${match.slice(1)}` : match
}

function unmark(value: string): unknown {
  if (value[0] === '$') return value.slice(1)
  return value[0] === '#' ? toInteger(value.slice(1)) : value
}

const maxDigits = 41 // with a minus sign

/**
 * Converts decimal digits to an exact integer.
 *
 * @param digits an optional minus sign and digits, nothing else
 * @returns a number if it is exact or has more than 40 digits, otherwise a bigint
 */
export function toInteger(digits: string): number | bigint {
  const number = Number(digits)
  return Number.isSafeInteger(number) || digits.length > maxDigits ? number : BigInt(digits)
}

/**
 * Writes JSON like `JSON.stringify`, with all digits of a bigint. (`JSON.rawJSON` requires Node 22.)
 *
 * @param value the value; a bigint becomes a JSON number
 * @returns the text; `undefined` for a value that JSON cannot represent, such as a function
 */
export function stringifyJson(value: unknown): string | undefined {
  const integers: bigint[] = []
  const text = JSON.stringify(value, (_key, member) => {
    if (typeof member === 'bigint') return `${half}#${integers.push(member) - 1}`
    return typeof member === 'string' && member[0] === half ? half + member : member
  })
  return text?.replace(placeholder, (_match, n, rest) => (n === undefined ? `"\\ud800${rest}"` : String(integers[n])))
}

/** This lone surrogate marks a bigint. Few strings start with a lone surrogate; those strings get a second one as an escape. */
const half = '\ud800'
// Matches only at the start of a value: not in a key, and not within a string, where quotes are escaped.
const placeholder = /(?<=[:,[]|^)"\\ud800(?:#(\d+)|\\ud800((?:[^"\\]|\\.)*))"(?!:)/g
