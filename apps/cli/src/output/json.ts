import { escapeCharacter } from '@cdn/kit/text'

// JSON.stringify escapes only C0. This matches the other characters that control a terminal. Escaping them keeps the value.
const unsafe = /(?![\u200c\u200d])[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}\u{e0000}-\u{e007f}]/gu

/**
 * Writes a value as JSON. 64-bit integers are exact. Lone surrogates become U+FFFD, because one of them makes other tools reject
 * the whole file. Characters that control terminals are escaped. Values do not change otherwise.
 *
 * @param indent spaces per level; one line by default
 */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, toWritable, indent) ?? 'null'
  return text.replace(unsafe, escapeCharacter)
}

declare global {
  interface JSON {
    /** Node 22 has this function, but TypeScript's library does not declare it. */
    rawJSON(text: string): unknown
  }
}

function toWritable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return JSON.rawJSON(String(value))
  return typeof value === 'string' && !value.isWellFormed() ? value.toWellFormed() : value
}
