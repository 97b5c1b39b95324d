import { toJson } from './json.ts'
import { cleanText } from './text.ts'

// A spreadsheet runs what begins so, also after spaces and in full width.
const formula = /^\s*[=+\-@＝＋－＠]/
// `-` alone is a cache status (§2), and a number is a number; the platform writes none with a plus.
const harmless = /^(-|-?\d+(\.\d+)?)$/

/**
 * Writes one line of CSV (RFC 4180, but ended by a line feed). Text is cleaned of control characters, line breaks among
 * them, and a cell that a spreadsheet would run begins with an apostrophe; take JSON where the text must stay as it is.
 *
 * @param cells null and undefined are empty, objects are JSON
 */
export function toCsvLine(cells: readonly unknown[]): string {
  return `${cells.map(toCell).join(',')}\n`
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value)
  const clean = cleanText(typeof value === 'string' ? value : toJson(value))
  const safe = formula.test(clean) && !harmless.test(clean) ? `'${clean}` : clean
  return /[",\s;]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
