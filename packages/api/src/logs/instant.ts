/** A point in time: a Date, milliseconds since 1970, or ISO 8601 with a time zone. A date without a time means midnight UTC. */
export type Instant = Date | number | string

/**
 * Converts a point in time that the caller passed.
 *
 * @param name name of the option, for the error message
 * @returns whole milliseconds since 1970
 * @throws RangeError if it is invalid, or not whole milliseconds
 */
export function toMs(name: string, instant: Instant): number {
  const ms = typeof instant === 'string' ? parseTimestamp(instant) : Number(instant)
  if (Number.isInteger(ms) && Math.abs(ms) <= 8.64e15) return ms
  throw new RangeError(`${name} must be a Date, whole milliseconds since 1970, or ISO 8601 with a time zone`)
}

/**
 * Parses a timestamp of the platform. Both `Z` and `+00:00` were observed, so timestamps are compared as numbers.
 *
 * @returns whole milliseconds since 1970 (finer digits are cut off); NaN if the timestamp is invalid or has no time zone
 */
export function parseTimestamp(text: string): number {
  return /^\d{4}-\d\d-\d\d($|T.*(Z|[+-]\d\d:\d\d)$)/i.test(text) ? Math.floor(Date.parse(text)) : Number.NaN
}
