import { isSecretField, type LineField } from '@cdn/api/contract'
import { masked } from './mask.ts'

/**
 * Hides the credential in a line of version 1. Its position is reliable, because the server removes pipes from texts. If a line
 * has further fields, but another number of them than stated, the credential may be in any of them, so all of them are hidden.
 *
 * @param fields the fields of a line (`x-line`), the plain ones first
 */
export function maskLine(line: string, fields: readonly LineField[]): string {
  const values = line.split('|')
  const plain = fields.filter(({ extended }) => !extended).length
  if (values.length <= plain) return line
  const place = fields.findIndex(({ name }) => isSecretField(name))
  const first = values.length === fields.length && place !== -1 ? place : plain
  const isAbsent = first === place && ['', '-'].includes(values[place] ?? '')
  return isAbsent ? line : [...values.slice(0, first), masked].join('|')
}
