/** A visitor's credential in a log row (extended logging). */
const secretFields: ReadonlySet<string> = new Set(['authorizationHeader'])

export const masked = '[hidden]'

/**
 * Hides credentials of visitors.
 *
 * @param value of any kind and depth, as parsed from JSON
 * @returns the value itself if it contains none, otherwise a copy without them
 */
export function mask(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map(mask)
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  let copy: Record<string, unknown> | undefined
  for (const [key, entry] of Object.entries(value)) {
    const hidden = secretFields.has(key) && entry !== null && entry !== undefined ? masked : mask(entry)
    if (hidden === entry) continue
    copy ??= { ...value }
    copy[key] = hidden
  }
  return copy ?? value
}
