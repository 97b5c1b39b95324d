/** Serializers of URLs and bodies for openapi-fetch. They check values, then use openapi-fetch's own serializers. */
import { stringifyJson } from '@cdn/kit/json'
import { createQuerySerializer, defaultBodySerializer } from 'openapi-fetch'

/**
 * Puts path parameters into a URL. An invalid value must not produce another path: `..` would select the parent, also if it is
 * percent-encoded or a part of the template.
 *
 * @param url URL with the parameters in braces
 * @param values values by name; numbers and bigints are 64-bit integers and sent exactly
 * @returns the URL, with percent-encoded values
 * @throws TypeError for a missing value or a lone surrogate; for a segment that is empty, `.` or `..`, or contains a slash or a
 *   backslash
 * @throws RangeError for a number that is not a safe integer, or a bigint of more than 64 bits
 */
export function pathSerializer(url: string, values: Record<string, unknown>): string {
  const path = url.replace(/\{([^{}]+)\}/g, (_, name: string) =>
    toPath(name, Object.hasOwn(values, name) ? values[name] : undefined),
  )
  if (/(?:^|[/\\])(?:\.|%2e){1,2}(?:$|[/\\])/i.test(path))
    throw new TypeError('Path must not have "." or ".." as a segment')
  return path
}

function toPath(name: string, value: unknown): string {
  const what = `Path parameter ${name}`
  if (value === undefined || value === null) throw new TypeError(`${what} is missing`)
  if (typeof value !== 'string' && !isNumeric(value)) throw new TypeError(`${what} must be text or an integer`)
  const text = String(toText(what, value, true))
  if (/^\.{0,2}$|[/\\]/.test(text)) throw new TypeError(`${what} must not be empty, "." or "..", nor contain a slash`)
  return encodeURIComponent(text)
}

const serializeQuery = createQuerySerializer<Record<string, unknown>>()

/**
 * Creates a query string.
 *
 * @param values values by name; undefined and null are omitted, a Date is written as ISO 8601, an array as repeated parameters
 * @throws TypeError for a lone surrogate
 * @throws RangeError for an infinite number, an inexact integer, or an invalid Date
 */
export function querySerializer(values: Record<string, unknown>): string {
  const entries = Object.entries(values).map(([name, value]) => [name, toTexts(`Query parameter ${name}`, value)])
  return serializeQuery(Object.fromEntries(entries))
}

/**
 * Creates a request body. Bytes are sent unchanged, forms as openapi-fetch writes them, and anything else as JSON with exact
 * integers.
 *
 * @param body the caller's value
 * @param headers headers of the request
 */
export function bodySerializer(body: unknown, headers?: Headers): unknown {
  if (body instanceof Blob || body instanceof ArrayBuffer || ArrayBuffer.isView(body)) return body
  const isForm = body instanceof FormData || headers?.get('Content-Type') === 'application/x-www-form-urlencoded'
  // The type of `defaultBodySerializer` lacks the headers.
  return isForm
    ? (defaultBodySerializer as (body: unknown, headers?: Headers) => unknown)(body, headers)
    : stringifyJson(body)
}

function toTexts(what: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => toText(what, item))
  if (typeof value !== 'object' || value === null || value instanceof Date) return toText(what, value)
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, toText(what, item)]))
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function toText(what: string, value: unknown, isInteger = false): unknown {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new RangeError(`${what} is an invalid Date`)
    return value.toISOString()
  }
  if (typeof value === 'string' && !value.isWellFormed()) throw new TypeError(`${what} contains a lone surrogate`)
  if (!isNumeric(value)) return value
  const isExact =
    typeof value === 'bigint'
      ? value === BigInt.asIntN(64, value)
      : Number.isSafeInteger(value) || (!isInteger && value % 1 !== 0 && Number.isFinite(value))
  if (isExact) return String(value)
  throw new RangeError(`${what} is ${value}, which is not exact in 64 bits; give integers beyond 2^53 as a bigint`)
}
