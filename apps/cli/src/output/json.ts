import { stringifyJson } from '@cdn/kit/json'
import { cleanLines, terminalText } from '@cdn/kit/text'

// An escaped backslash, or the escape of a lone surrogate. stringifyJson writes no other escapes of this form.
const surrogate = /(\\\\)|\\ud[89a-f][\da-f]{2}/g

/**
 * Writes a value as JSON. 64-bit integers are exact. Lone surrogates become U+FFFD, because one of them makes other tools reject
 * the whole file. Characters that control terminals are escaped. Values do not change otherwise.
 *
 * @param indent spaces per level; one line by default
 */
export function jsonText(value: unknown, indent?: number): string {
  const text = stringifyJson(value, indent) ?? 'null'
  // stringifyJson escapes only the control characters up to U+001F.
  return cleanLines(text.replace(surrogate, (_match, backslash = '\ufffd') => backslash))
}

// Spreadsheets run cells that start with such a character, also after spaces and in full-width form.
const formula = /^\s*[=+\-@＝＋－＠]/
// `-` alone is a cache status (§2). Numbers stay numbers; the platform writes no number with a plus sign.
const harmless = /^(-|-?\d+(\.\d+)?)$/

/**
 * Writes one line of CSV (RFC 4180, but with a line feed at the end). Escapes control characters in texts, including line breaks.
 * Puts an apostrophe before a cell that a spreadsheet would run. Use JSON to get unchanged text.
 *
 * @param cells null and undefined are empty, objects are JSON
 */
export function toCsvLine(cells: readonly unknown[]): string {
  return `${cells.map(toCell).join(',')}\n`
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  const clean = terminalText(typeof value === 'string' ? value : jsonText(value))
  const safe = formula.test(clean) && !harmless.test(clean) ? `'${clean}` : clean
  return /[",\s;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
