/**
 * Parses JSON as `JSON.parse` does, except that an integer which no number holds exactly comes out as a bigint (ids have 64
 * bits, §2).
 *
 * @throws SyntaxError
 */
export function parseExact(text: string): unknown {
  return JSON.parse(text, ((_key: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && source !== undefined && /^-?\d+$/.test(source)
      ? BigInt(source)
      : value) as (key: string, value: unknown) => unknown)
}
