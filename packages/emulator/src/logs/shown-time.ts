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

/** The same for many times in a row: what neighbours have in common is written once. */
export function createTimeFormat(variants: Variants): (ms: number) => string {
  const suffix = variants.timestampStyle
  let second = Number.NaN
  let prefix = ''
  return (ms) => {
    if (Math.floor(ms / 1000) !== second) {
      second = Math.floor(ms / 1000)
      prefix = new Date(second * 1000).toISOString().slice(0, -'000Z'.length)
    }
    return prefix + String(ms - second * 1000).padStart(3, '0') + suffix
  }
}
