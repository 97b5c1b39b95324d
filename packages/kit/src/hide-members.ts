/** Hides the values of JSON members in any text, such as a body that is cut or a JSON text within a JSON text. */

// A name with its colon. Within a JSON text in a JSON text, backslashes precede each quote. In `"name":"Cookie","value":"x"`, the name is
// the value of the first member.
const member =
  /(?<!\\)(\\*)"(?:(?:header|key|name)\1"\s*:\s*\1"([^"\\]*(?:\\u[\da-f]{4}[^"\\]*)*)\1"\s*,\s*\1"value|([^"\\]*(?:\\u[\da-f]{4}[^"\\]*)*))\1"\s*:\s*/gi

/**
 * Hides the values of members whose names hold secrets: texts, lists and objects. Empty texts and other values are shown. Takes linear
 * time.
 */
export function hideMembers(text: string, isSecret: (name: string) => boolean, mark: string): string {
  let shown = ''
  let shownTo = 0
  member.lastIndex = 0
  for (let match = member.exec(text); match; match = member.exec(text)) {
    const [, escapes = '', pairName, name = pairName ?? ''] = match
    const start = member.lastIndex
    const end = isSecret(name) ? endOfValue(text, start, escapes.length) : start
    if (end === start) continue
    const quote = `${escapes}"`
    shown += `${text.slice(shownTo, start)}${quote}${mark}${quote}`
    shownTo = end
    member.lastIndex = end
  }
  return shown + text.slice(shownTo)
}

// A quote with all of its backslashes, or a bracket. The lookbehind makes a long run of backslashes in an untrusted text cheap.
const delimiter = /(?<!\\)(\\*)"|[[\]{}]/g

/**
 * Returns the end of the text, list or object at a position; the position itself for any other value and for an empty text. A value that is
 * cut ends where the surrounding text ends.
 *
 * @param level number of backslashes before a quote of the value. Each level of nesting doubles the backslashes, and adds one per quote
 */
function endOfValue(text: string, start: number, level: number): number {
  const quote = `${'\\'.repeat(level)}"`
  if (!/[[{]/.test(text[start] ?? '') && (!text.startsWith(quote, start) || text.startsWith(quote + quote, start)))
    return start
  let depth = 0
  let isInText = false
  delimiter.lastIndex = start
  for (let match = delimiter.exec(text); match; match = delimiter.exec(text)) {
    const [token, backslashes] = match
    if (backslashes === undefined) depth += isInText ? 0 : /[[{]/.test(token) ? 1 : -1
    else if (backslashes.length % (level + 1) !== level) return match.index
    else if (backslashes.length % (2 * level + 2) === level) isInText = !isInText
    if (depth === 0 && !isInText) return delimiter.lastIndex
  }
  return text.length
}
