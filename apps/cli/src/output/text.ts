/** Text from logs and servers is hostile: whatever could steer a terminal or reorder a line is shown instead of sent. */
// Control characters (C0, DEL, C1), format characters (bidi marks and overrides, tags, byte order mark), line and paragraph
// separators. U+200C and U+200D join letters and emoji and steer nothing.
const unsafe = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const plain = /^[\x20-\x7e]*$/

/**
 * Makes a text safe for a line of a terminal or a table cell.
 *
 * @returns the text in one line; what was unsafe is written as in JSON (`\u001b`), half a surrogate pair as U+FFFD
 */
export function cleanText(text: string): string {
  return plain.test(text) ? text : text.toWellFormed().replace(unsafe, escapeCharacter)
}

/** As `cleanText`, but keeps line breaks and tabs: for texts of several lines. */
export function cleanLines(text: string): string {
  return plain.test(text)
    ? text
    : text.toWellFormed().replace(unsafe, (found) => (/[\n\t]/.test(found) ? found : escapeCharacter(found)))
}

/** @returns the character as JSON escapes it, in pairs where it lies beyond U+FFFF */
export function escapeCharacter(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('')
}
