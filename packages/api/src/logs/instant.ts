/** A point in time: a Date, milliseconds since 1970, or ISO 8601 with a zone (a bare date is its midnight in UTC). */
export type Instant = Date | number | string

/**
 * Reads a point in time that the caller gave.
 *
 * @param name the option, for the message
 * @returns whole milliseconds since 1970
 * @throws RangeError when it is none, or not whole milliseconds
 */
export function toMs(name: string, instant: Instant): number {
  const ms = typeof instant === 'string' ? parseTimestamp(instant) : Number(instant)
  if (Number.isInteger(ms) && Math.abs(ms) <= 8.64e15) return ms
  throw new RangeError(`${name} must be a Date, whole milliseconds since 1970, or ISO 8601 with a zone`)
}

/**
 * Reads a timestamp of the platform: `Z` and `+00:00` were both seen, so they are compared as numbers.
 *
 * @returns whole milliseconds since 1970 (finer digits are cut); NaN where it is none or names no zone
 */
export function parseTimestamp(text: string): number {
  return /^\d{4}-\d\d-\d\d($|T.*(Z|[+-]\d\d:\d\d)$)/i.test(text) ? Math.floor(Date.parse(text)) : Number.NaN
}
