/** Writes the values of a call into its URL and body. */
import { stringifyJson } from '@cdn/kit/json'
import type { FetchBody } from './fetch/body.ts'

/**
 * Puts path parameters into a URL. An invalid value must not produce another path: `..` would select the parent, also if it is
 * percent-encoded or a part of the template.
 *
 * @param url URL with the parameters in braces
 * @param values values by name; numbers and bigints are 64-bit integers and sent exactly
 * @returns the URL, with percent-encoded values
 * @throws TypeError for a missing value, a value of another type, or a lone surrogate; for a value that is empty or contains a slash
 *   or a backslash; for a segment `.` or `..`
 * @throws RangeError for a number that is not a safe integer, or a bigint of more than 64 bits
 */
export function pathSerializer(url: string, values: Record<string, unknown>): string {
  const path = url.replace(/\{([^{}]+)\}/g, (_, name: string) =>
    toPath(name, Object.hasOwn(values, name) ? values[name] : undefined),
  )
  if (/(?:^|[/\\])(?:\.|%2e){1,2}(?:$|[/\\?#])/i.test(path))
    throw new TypeError('Path must not have "." or ".." as a segment')
  return path
}

function toPath(name: string, value: unknown): string {
  const what = `Path parameter ${name}`
  if (value === undefined || value === null) throw new TypeError(`${what} is missing`)
  if (typeof value !== 'string' && !isNumeric(value)) throw new TypeError(`${what} must be text or an integer`)
  const text = toText(what, value, true)
  if (/^\.{0,2}$|[/\\]/.test(text)) throw new TypeError(`${what} must not be empty, "." or "..", nor contain a slash`)
  return encodeURIComponent(text)
}

/**
 * Creates a query string.
 *
 * @param values values by name; undefined and null are omitted, a Date is written as ISO 8601, a list as repeated parameters
 * @throws TypeError for a lone surrogate, or an object
 * @throws RangeError for NaN, an infinite number, an inexact integer, or an invalid Date
 */
export function querySerializer(values: object): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((each) => each !== undefined && each !== null)
      .map((each) => `${encodeURIComponent(name)}=${encodeURIComponent(toText(`Query parameter ${name}`, each))}`),
  )
  return pairs.join('&')
}

/**
 * Creates a request body, as openapi-fetch does, with exact integers. Forms, bytes and streams are sent unchanged, all other values as
 * JSON, or as a form if the caller states the media type of a form.
 */
export function bodySerializer(body: unknown, mediaType?: string): FetchBody | undefined {
  if (isBodyInit(body)) return body
  if (mediaType?.startsWith(formType)) return new URLSearchParams(body as Record<string, string>)
  return stringifyJson(body)
}

const formType = 'application/x-www-form-urlencoded'
const bodyTypes = [FormData, URLSearchParams, Blob, ArrayBuffer, ReadableStream]

function isBodyInit(body: unknown): body is Exclude<FetchBody, string> {
  return ArrayBuffer.isView(body) || bodyTypes.some((type) => body instanceof type)
}

/** The media type of a serialized body. @param stated as the contract states it. @returns undefined if the runtime adds it */
export function mediaTypeOf(body: FetchBody | undefined, stated: string): string | undefined {
  if (body === undefined || body instanceof FormData) return undefined
  return body instanceof URLSearchParams ? formType : stated
}

/** Checks a base URL. The error message does not repeat the URL, because the URL may contain a password. */
export function checkBaseUrl(baseUrl: string | URL): string {
  const href = URL.canParse(String(baseUrl)) ? new URL(baseUrl).href : ''
  if (/^https?:\/\/[^/@?#]+\/[^?#]*$/.test(href)) return href
  throw new TypeError('baseUrl must be an http or https URL without credentials, query and fragment')
}

function isNumeric(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}

function toText(what: string, value: unknown, isInteger = false): string {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new RangeError(`${what} is an invalid Date`)
    return value.toISOString()
  }
  if (typeof value === 'object') throw new TypeError(`${what} must be text, a number, a Date or a list of these`)
  const text = String(value)
  if (!text.isWellFormed()) throw new TypeError(`${what} contains a lone surrogate`)
  if (!isNumeric(value)) return text
  const isExact =
    typeof value === 'bigint'
      ? value === BigInt.asIntN(64, value)
      : Number.isSafeInteger(value) || (!isInteger && value % 1 !== 0 && Number.isFinite(value))
  if (isExact) return text
  throw new RangeError(`${what} is ${value}, which is not exact in 64 bits; give integers beyond 2^53 as a bigint`)
}
