import type { Variants } from '../variants.ts'

/** A half-open span of time in milliseconds, `[from, to)`. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Where `from` starts when it is left out (supplement). */
const defaultLength = 24 * 3_600_000

/**
 * The span that a v2 query asks for (supplement): `to` is now, and `from` 24 hours before it, where they are left out.
 *
 * @param from date-time, or undefined
 * @param to date-time, or undefined
 * @param now time of the request in milliseconds
 * @param retention milliseconds for which rows are kept; both the oldest `from` and the longest span
 * @returns the span, or a sentence on what is wrong with it
 */
export function readSpan(
  from: string | undefined,
  to: string | undefined,
  now: number,
  retention: number,
  variants: Variants,
): Span | string {
  const oldest = now - retention
  const asked = to === undefined ? now : Date.parse(to)
  const end = variants.futureTo === 'clamped' ? Math.min(asked, now) : asked
  const start = from === undefined ? defaultStart(end, oldest, variants) : Date.parse(from)
  if (Number.isNaN(start) || Number.isNaN(end)) return 'The parameters from and to take a date and time in UTC.'
  if (start > end) return 'The parameter from must not lie after to.'
  if (start < oldest) return 'The parameter from lies before the time for which logs are kept.'
  if (end - start > retention) return 'The range from from to to is longer than logs are kept.'
  return { from: start, to: end }
}

function defaultStart(end: number, oldest: number, { defaultFrom }: Variants): number {
  return defaultFrom === 'clamped' ? Math.max(end - defaultLength, Math.min(oldest, end)) : end - defaultLength
}

/**
 * A UTC day of v1.
 *
 * @param text MM-DD-YY, years from 2000
 * @returns its span, or undefined where the calendar has no such day
 */
export function readDay(text: string): Span | undefined {
  const [month = '', day = '', year = ''] = text.split('-')
  const from = Date.UTC(2000 + Number(year), Number(month) - 1, Number(day))
  const date = new Date(from)
  const exists = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  return exists ? { from, to: Date.UTC(2000 + Number(year), Number(month) - 1, Number(day) + 1) } : undefined
}
