/** Shows untrusted text of logs and servers: characters that could control a terminal or reorder a line become escapes. */

/**
 * Control characters (C0, DEL, C1), format characters (bidi marks and overrides, tags, byte order mark), and separators of lines
 * and paragraphs. U+200C and U+200D are allowed: they only control how letters and emoji join.
 */
export const unsafeCharacters = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u{e0000}-\u{e007f}]/gu
const plain = /^[\x20-\x7e]*$/

/**
 * Makes a text safe for a line of a terminal or a table cell.
 *
 * @returns the text in one line; unsafe characters become JSON escapes (`\u001b`), lone surrogates become U+FFFD
 */
export function terminalText(text: string): string {
  return plain.test(text) ? text : text.toWellFormed().replace(unsafeCharacters, escapeCharacter)
}

/** Like `terminalText`, but keeps line breaks and tabs: for texts of several lines. */
export function cleanLines(text: string): string {
  return plain.test(text)
    ? text
    : text
        .toWellFormed()
        .replace(unsafeCharacters, (character) => (/[\n\t]/.test(character) ? character : escapeCharacter(character)))
}

/** @returns the character as a JSON escape; a character above U+FFFF becomes two escapes (a surrogate pair) */
export function escapeCharacter(character: string): string {
  return [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('')
}
