import { escapeCharacter } from '@cdn/kit/text'

// JSON.stringify escapes C0. Other characters that control a terminal are escaped here, which does not change the value.
const unsafe = /(?![\u200c\u200d])[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}\u{e0000}-\u{e007f}]/gu

/**
 * Writes a value as JSON: 64-bit integers exactly, lone surrogates as U+FFFD (other tools reject a whole file for one), characters
 * that control terminals escaped. Values do not change otherwise.
 *
 * @param indent spaces per level; one line by default
 */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, toWritable, indent) ?? 'null'
  return text.replace(unsafe, escapeCharacter)
}

declare global {
  interface JSON {
    /** Part of Node 22, but not of TypeScript's library. */
    rawJSON(text: string): unknown
  }
}

function toWritable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return JSON.rawJSON(String(value))
  return typeof value === 'string' && !value.isWellFormed() ? value.toWellFormed() : value
}
