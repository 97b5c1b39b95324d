/** Fields of a log row that hold a visitor's credential (extended logging). */
const secretFields: ReadonlySet<string> = new Set(['authorizationHeader'])

export const masked = '[hidden]'

/**
 * Hides credentials of visitors.
 *
 * @param value any value parsed from JSON, at any depth
 * @returns the value itself if it has no credential, otherwise a copy with the credentials hidden
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
