import { cleanLines } from '@cdn/kit/text'

// An escaped backslash, or the escape of a lone surrogate. JSON.stringify writes no other escapes of this form.
const surrogate = /(\\\\)|\\ud[89a-f][\da-f]{2}/g

/**
 * Writes a value as JSON. 64-bit integers are exact. Lone surrogates become U+FFFD, because one of them makes other tools reject
 * the whole file. Characters that control terminals are escaped. Values do not change otherwise.
 *
 * @param indent spaces per level; one line by default
 */
export function jsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, toWritable, indent) ?? 'null'
  // JSON.stringify escapes only the control characters up to U+001F.
  return cleanLines(text.replace(surrogate, (_match, backslash = '\ufffd') => backslash))
}

declare global {
  interface JSON {
    /** Node 22 has this function, but TypeScript's library does not declare it. */
    rawJSON(text: string): unknown
  }
}

function toWritable(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value
}
