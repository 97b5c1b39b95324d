import { dayMs } from '@cdn/kit/time'
import type { Variants } from '../../variants/variants.ts'

/** Converts a stored time to a whole millisecond, as both versions show it. */
export function shownTime(timestamp: number, { shownPrecision }: Variants): number {
  return shownPrecision === 'rounded' ? Math.round(timestamp) : Math.floor(timestamp)
}

/** Formats a date-time of v2 (supplement): UTC, with milliseconds. */
export function formatTime(ms: number, { timestampStyle }: Variants): string {
  return new Date(ms).toISOString().replace('Z', timestampStyle)
}

/** A half-open span of time in milliseconds, `[from, to)`. */
export interface Span {
  readonly from: number
  readonly to: number
}

/**
 * Reads the range of a v2 query (supplement). The default of `to` is now. The default of `from` is 24 hours before `to`; with the
 * variant `defaultFrom: clamped`, it is not older than the retention.
 *
 * @param query date-times; undefined for the default
 * @param now time of the request in milliseconds
 * @param retention how long rows are kept, in milliseconds: the maximum age of `from` and the maximum length of the range
 * @returns the range, or one sentence about the first error
 */
export function readSpan(
  { from, to }: Readonly<Record<string, unknown>>,
  now: number,
  retention: number,
  variants: Variants,
): Span | string {
  const oldest = now - retention
  const requestedEnd = to === undefined ? now : Date.parse(String(to))
  const end = variants.futureTo === 'clamped' ? Math.min(requestedEnd, now) : requestedEnd
  const dayBefore = end - dayMs
  const defaultStart = variants.defaultFrom === 'clamped' ? Math.max(dayBefore, Math.min(oldest, end)) : dayBefore
  const start = from === undefined ? defaultStart : Date.parse(String(from))
  if (Number.isNaN(start) || Number.isNaN(end)) return 'The parameters from and to take a date and time in UTC.'
  if (start > end) return 'The parameter from must not be after to.'
  if (start < oldest) return 'The parameter from is older than the retention of logs.'
  if (end - start > retention) return 'The range between from and to is longer than the retention of logs.'
  return { from: start, to: end }
}

/**
 * Reads a UTC day of v1.
 *
 * @param text MM-DD-YY, years from 2000
 * @returns the range of the day, or undefined if the calendar has no such day
 */
export function readDay(text: string): Span | undefined {
  const [month, day, year] = text.split('-')
  const from = Date.UTC(2000 + Number(year), Number(month) - 1, Number(day))
  const date = new Date(from)
  const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  return exists ? { from, to: from + dayMs } : undefined
}
