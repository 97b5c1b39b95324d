/** One text per value: equal values have equal texts, in whatever order the members of their objects are. */
import { stringifyJson } from '@cdn/kit/json'
import { isRecord } from '@cdn/kit/record'

/**
 * Returns a JSON value as text. The order of the members of objects does not matter, at any depth; the order in lists does.
 *
 * @param isSparse whether a member that is null counts as missing
 */
export function canonicalText(value: unknown, isSparse = false): string {
  return stringifyJson(sorted(value, isSparse)) ?? 'undefined'
}

/** Sorts the members of each object. A replacer of `JSON.stringify` would take three times as long. */
function sorted(value: unknown, isSparse: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => sorted(each, isSparse))
  if (!isRecord(value)) return value
  const names = Object.keys(value).filter((name) => !isSparse || value[name] !== null)
  return Object.fromEntries(names.sort().map((name) => [name, sorted(value[name], isSparse)]))
}
