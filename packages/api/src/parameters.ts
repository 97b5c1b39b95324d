/** Parameters are checked before a call: a wrong id must not end up as another path (`..` turns a path into its parent). */

const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n }

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
    encodeURIComponent(segment(name, Object.hasOwn(values, name) ? values[name] : undefined)),
  )
}

function segment(name: string, value: unknown): string {
  const what = `Path parameter ${name}`
  if (value === undefined || value === null) throw new TypeError(`${what} is missing`)
  if (typeof value === 'number' || typeof value === 'bigint') return integer(what, value)
  if (typeof value !== 'string') throw new TypeError(`${what} must be a number, a bigint or a string`)
  if (value === '') throw new TypeError(`${what} is empty`)
  if (value === '.' || value === '..' || /[/\\]/.test(value)) {
    throw new TypeError(`${what} must not be "." or ".." and must hold no slash`)
  }
  return wellFormed(what, value)
}

function integer(what: string, value: number | bigint): string {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new RangeError(`${what} is ${value}, which is no exact integer; give integers beyond 2^53 as a bigint`)
  }
  if (typeof value === 'bigint' && (value < int64.min || value > int64.max)) {
    throw new RangeError(`${what} does not fit into 64 bits`)
  }
  return String(value)
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
      Array.isArray(value) ? value.map((item) => [name, item] as const) : [[name, value] as const],
    )
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(queryValue(name, value))}`)
    .join('&')
}

function queryValue(name: string, value: unknown): string {
  const what = `Query parameter ${name}`
  if (typeof value === 'string') return wellFormed(what, value)
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number' && !Number.isInteger(value) && Number.isFinite(value)) return String(value)
  if (typeof value === 'number' || typeof value === 'bigint') return integer(what, value)
  if (!(value instanceof Date)) throw new TypeError(`${what} must be a string, number, bigint, boolean or Date`)
  if (Number.isNaN(value.getTime())) throw new RangeError(`${what} is an invalid Date`)
  return value.toISOString()
}

function wellFormed(what: string, value: string): string {
  if (!value.isWellFormed()) throw new TypeError(`${what} holds half of a surrogate pair`)
  return value
}
