/** Extended logging shows a credential of the visitor, `authorizationHeader`. Output hides it, unless the user asks for it. */
import type { LineField } from '@cdn/api/contract'

/** Fields of a log row that hold a visitor's credential (extended logging). */
const secretFields: ReadonlySet<string> = new Set(['authorizationHeader'])

const masked = '[hidden]'

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

/**
 * Hides the credential in a line of version 1. Its position is reliable, because the server removes pipes from texts. A line with
 * another number of fields may contain it anywhere after the plain fields, so the rest of such a line is hidden.
 *
 * @param fields the fields of a line (`x-line`), the plain ones first
 */
export function maskLine(line: string, fields: readonly LineField[]): string {
  const values = line.split('|')
  const plain = fields.filter(({ extended }) => !extended).length
  if (values.length <= plain) return line
  const place = fields.findIndex(({ name }) => secretFields.has(name))
  const first = values.length === fields.length && place !== -1 ? place : plain
  const isAbsent = first === place && ['', '-'].includes(values[place] ?? '')
  return isAbsent ? line : [...values.slice(0, first), masked].join('|')
}
