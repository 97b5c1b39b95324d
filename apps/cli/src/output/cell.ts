import { isRecord } from '@cdn/kit/record'
import { terminalText } from '@cdn/kit/text'

/**
 * The text of a cell.
 *
 * @param value of any type. A list is shown as its first item and the number of the others
 * @param now a time of the same day (UTC) is shown without its date
 */
export function cellText(value: unknown, now: Date): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) {
    const more = value.length > 1 ? ` +${value.length - 1}` : ''
    return value.length === 0 ? '' : `${labelOf(value[0], now)}${more}`
  }
  if (isRecord(value)) return labelOf(value, now)
  return terminalText(typeof value === 'string' ? timeText(value, now) : String(value))
}

/** The first text of an object, which usually names it; otherwise the number of its fields. */
function labelOf(value: unknown, now: Date): string {
  if (Array.isArray(value)) return `${value.length} items`
  if (!isRecord(value)) return cellText(value, now)
  const text = Object.values(value).find((field) => typeof field === 'string' && field !== '')
  return text === undefined ? `${Object.keys(value).length} fields` : cellText(text, now)
}

function timeText(text: string, now: Date): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d(?:\.\d{1,3})?)\d*Z?$/.exec(text) ?? []
  if (day === undefined || time === undefined) return text
  return day === now.toISOString().slice(0, 10) ? time : `${day} ${time.replace(/\.\d+$/, '')}`
}

/** The whole text of a field that is shown on a line of its own. For a nested value, it has the text that names the value. */
export function lineText(value: unknown, now: Date): string {
  return Array.isArray(value) ? value.map((item) => labelOf(item, now)).join(', ') : cellText(value, now)
}
