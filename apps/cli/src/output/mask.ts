/** Secrets in the data: keys of the account, and credentials of visitors in extended logs. Output hides them by default. */
import type { LineField } from '@cdn/api/contract'

/** Fields of a log row that hold a visitor's credential (extended logging). */
const visitorFields: ReadonlySet<string> = new Set(['authorizationHeader'])

/** Any name that may be a credential's. Only then the contract is loaded, which decides. */
const suspicious = /pass|pwd|secret|token|credential|auth|cookie|key/i

const masked = '[hidden]'

/**
 * Hides credentials.
 *
 * @param value any value parsed from JSON
 * @returns the value itself if it has no credential, otherwise a copy with the credentials hidden
 */
export async function mask(value: unknown): Promise<unknown> {
  const found = { visitor: false, other: false }
  look(value, found)
  const own = found.visitor ? maskVisitors(value) : value
  return found.other ? (await import('@cdn/api/contract')).maskSecrets(own, masked) : own
}

function look(value: unknown, found: { visitor: boolean; other: boolean }): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, field] of Object.entries(value)) {
    if (visitorFields.has(name)) found.visitor = true
    else if (suspicious.test(name)) found.other = true
    look(field, found)
  }
}

function maskVisitors(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(maskVisitors)
  const fields = Object.entries(value).map(([name, field]) => {
    const isHidden = visitorFields.has(name) && field !== null && field !== undefined
    return [name, isHidden ? masked : maskVisitors(field)] as const
  })
  return Object.fromEntries(fields)
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
  const place = fields.findIndex(({ name }) => visitorFields.has(name))
  const first = values.length === fields.length && place !== -1 ? place : plain
  const isAbsent = first === place && ['', '-'].includes(values[place] ?? '')
  return isAbsent ? line : [...values.slice(0, first), masked].join('|')
}
