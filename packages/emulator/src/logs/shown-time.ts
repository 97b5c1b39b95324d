import type { Variants } from '../variants.ts'

/** A stored time as the whole millisecond that both versions show. */
export function shownTime(timestamp: number, { shownPrecision }: Variants): number {
  return shownPrecision === 'rounded' ? Math.round(timestamp) : Math.floor(timestamp)
}

/** A date-time of v2 (supplement): UTC, to the millisecond. */
export function formatTime(ms: number, { timestampStyle }: Variants): string {
  const text = new Date(ms).toISOString()
  return timestampStyle === 'Z' ? text : text.replace('Z', timestampStyle)
}
