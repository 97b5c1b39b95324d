/** Parameters are checked before a call: a wrong id must not end up as another path (`..` turns a path into its parent). */

/**
 * Puts path parameters into a path template.
 *
 * @param template for example `/pullzone/{id}`
 * @param values by name; numbers and bigints are 64-bit integers and sent exactly
 * @returns the path, percent-encoded
 * @throws TypeError when a value is missing, empty, `.` or `..`, or holds a slash or a lone surrogate
 * @throws RangeError when a number is no safe integer, or a bigint no 64-bit integer
 */
export function encodePath(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{([^{}]+)\}/g, (_match, name: string) =>
    encode(`Path parameter ${name}`, Object.hasOwn(values, name) ? values[name] : undefined, true),
  )
}

/**
 * Makes the query string.
 *
 * @param values by name; undefined and null are left out, a Date goes as ISO 8601, an array as repeated parameters
 * @returns the query without the question mark
 * @throws TypeError when a value is an object or holds a lone surrogate
 * @throws RangeError when a number is not finite, an integer not exact, or a Date invalid
 */
export function encodeQuery(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) =>
      [value]
        .flat()
        .filter((item) => item !== undefined && item !== null)
        .map((item) => `${encodeURIComponent(name)}=${encode(`Query parameter ${name}`, item, false)}`),
    )
    .join('&')
}

function encode(what: string, value: unknown, isSegment: boolean): string {
  if (typeof value === 'string') {
    if (value.isWellFormed() && !(isSegment && /^\.{0,2}$|[/\\]/.test(value))) return encodeURIComponent(value)
    throw new TypeError(`${what} must not be empty, "." or "..", nor hold a slash or half of a surrogate pair`)
  }
  if (typeof value === 'bigint' || typeof value === 'number') {
    const isExact =
      typeof value === 'bigint'
        ? value === BigInt.asIntN(64, value)
        : Number.isSafeInteger(value) || (!isSegment && value % 1 !== 0 && Number.isFinite(value))
    if (isExact) return String(value)
    throw new RangeError(`${what} is ${value}, which is not exact in 64 bits; give integers beyond 2^53 as a bigint`)
  }
  if (!isSegment && typeof value === 'boolean') return String(value)
  if (!isSegment && value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new RangeError(`${what} is an invalid Date`)
    return encodeURIComponent(value.toISOString())
  }
  throw new TypeError(`${what} is ${(value ?? undefined) === undefined ? 'missing' : 'of a type that cannot be sent'}`)
}
