/** JSON with exact 64-bit integers. A JavaScript number is exact only up to 2^53. */

// Text without this pattern has no long integer. A false match only costs time.
const longDigits = /(?:^|[[:,\s])-?\d{16}/
// A string or a number in valid JSON. An unterminated string would take quadratic time.
const token = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?\d[\d.eE+-]*/g
// Parsing a BigInt takes quadratic time. A 64-bit integer has at most 20 digits.
const longInteger = /^-?[1-9]\d{15,39}$/

/**
 * Parses JSON like `JSON.parse`, except that an integer of 16 to 40 digits that is not a safe integer becomes a bigint.
 * Long integers are marked in valid JSON, which is then parsed again. A reviver could read the source text instead, but only in
 * Node 21 or later and not in every browser. Takes linear time on any text.
 *
 * @param text the JSON text
 * @returns the value
 * @throws SyntaxError for invalid JSON
 */
export function parseJson(text: string): unknown {
  return withExactIntegers(JSON.parse(text), text)
}

/**
 * Returns the value of a JSON text as `parseJson` does.
 *
 * @param value the result of `JSON.parse`, which is returned if the text has no long integer
 */
export function withExactIntegers(value: unknown, text: string): unknown {
  if (!longDigits.test(text)) return value
  const mark = integerMark()
  const marked = text.replace(token, (match) => (longInteger.test(match) ? `"${mark}${match}"` : match))
  return JSON.parse(marked, (_key, member) =>
    typeof member === 'string' && member.startsWith(mark) ? toInteger(member.slice(mark.length)) : member,
  )
}

let knownMark = ''

/** Returns a text that marks integers. It is random, so that no other text of a value contains it. Results do not show it. */
function integerMark(): string {
  // Some runtimes have no random numbers while a module is loaded.
  knownMark ||= crypto.getRandomValues(new BigUint64Array(2)).join('-')
  return knownMark
}

const maxDigits = 41 // 40 digits and a minus sign

/**
 * Converts decimal digits to an exact integer.
 *
 * @param digits an optional minus sign and digits, nothing else
 * @returns a number if it is a safe integer or the text has more than 41 characters, otherwise a bigint
 */
export function toInteger(digits: string): number | bigint {
  const number = Number(digits)
  return Number.isSafeInteger(number) || digits.length > maxDigits ? number : BigInt(digits)
}

/**
 * Writes JSON like `JSON.stringify`, with all digits of a bigint. (`JSON.rawJSON` requires Node 21.)
 *
 * @param value the value; a bigint becomes a JSON number
 * @param indent spaces per level; one line by default
 * @returns the text; `undefined` for a value that JSON cannot represent, such as a function
 */
export function stringifyJson(value: unknown, indent?: number): string | undefined {
  let isMarked = false
  const mark = integerMark()
  const markIntegers = (_key: string, member: unknown) => {
    if (typeof member !== 'bigint') return member
    isMarked = true
    return `${mark}${member}`
  }
  const text = JSON.stringify(value, markIntegers, indent)
  return isMarked ? text.replace(new RegExp(`"${mark}(-?\\d+)"`, 'g'), '$1') : text
}
