import type { Variants } from '../../variants/variants.ts'

/** Converts a stored time to a whole millisecond, as both versions show it. */
export function shownTime(timestamp: number, { shownPrecision }: Variants): number {
  return shownPrecision === 'rounded' ? Math.round(timestamp) : Math.floor(timestamp)
}

/** Formats a date-time of v2 (supplement): UTC, with milliseconds. */
export function formatTime(ms: number, { timestampStyle }: Variants): string {
  const text = new Date(ms).toISOString()
  return timestampStyle === 'Z' ? text : text.replace('Z', timestampStyle)
}

/** Like `formatTime`, but faster for many times in sequence: it formats the common prefix of neighbouring times once. */
export function createEntryTimeFormat(variants: Variants): (ms: number) => string {
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
