/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>

/** Returns the value if it is a list, otherwise an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Maps the values of an object. A key `__proto__` stays an ordinary key. */
export function mapValues(node: Json, to: (value: unknown, key: string) => unknown): Json {
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, to(value, key)]))
}

/** Control characters that could affect a terminal: all except tab and line feed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches them
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Removes control characters from a text. */
export function withoutControls(text: string): string {
  return text.replace(control, '')
}
