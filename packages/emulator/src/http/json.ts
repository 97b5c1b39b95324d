/** `JSON.rawJSON` (in Node since 22) puts a number into JSON text as it is spelled; TypeScript 5.9 has no type for it. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown }

/**
 * An int64 for `JSON.stringify`, which writes it with all its digits.
 *
 * @param value decimal digits, a bigint, or a number that is exact; null stays null
 * @throws SyntaxError when the text is no JSON number
 */
export function toExact(value: string | bigint | number | null): unknown {
  return value === null || typeof value === 'number' ? value : rawJSON(String(value))
}
