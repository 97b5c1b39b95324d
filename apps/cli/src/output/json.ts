import { escapeCharacter } from './text.ts'

// JSON.stringify escapes C0 itself; the rest of what could steer a terminal is escaped too, which changes no value.
const unsafe = /(?![\u200c\u200d])[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu

/**
 * Writes a value as JSON in ASCII control-free text: 64-bit integers exactly, half a surrogate pair as U+FFFD (other tools
 * refuse a whole file for one), characters that steer terminals escaped. No value changes otherwise.
 *
 * @param indent spaces a level; one line where absent
 */
export function toJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, toWritable, indent) ?? 'null'
  return text.replace(unsafe, escapeCharacter)
}

function toWritable(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(value))
  return typeof value === 'string' && !value.isWellFormed() ? value.toWellFormed() : value
}
