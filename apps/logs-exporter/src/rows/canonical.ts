import { RejectedRow } from '../errors.ts'
import { entryColumns, type ParsedRow, parseRowFields, type RowColumn } from './columns.ts'

export interface Canonical {
  /** The line without its source and its end: `{` and the members, without `}`. */
  readonly text: string
  /** Number of texts with replacements. A lone surrogate became U+FFFD, and so did U+0000 if the sink cannot hold it. */
  readonly replaced: number
}

type Quote = (text: string) => string

const known = new Set(entryColumns.map(({ name }) => name))
const bounds = { int32: 2n ** 31n, int64: 2n ** 63n }

/**
 * Writes a row in canonical form: first the contract's fields in the contract's order, without null fields, then other fields by
 * name. Rows with equal texts count as equal.
 *
 * @param row after the privacy rules
 * @param time the shown timestamp, in ms
 * @param replacesNul whether the sink cannot hold U+0000
 * @throws RejectedRow if a field has the wrong type, or a required field is missing
 */
export function toCanonical(row: ParsedRow, time: number, replacesNul: boolean): Canonical {
  let replaced = 0
  /** Quotes a text without lone surrogates, which make readers reject a file, and without U+0000, which PostgreSQL rejects. */
  const quote = (text: string) => {
    const wellFormed = replacesNul ? text.toWellFormed().replaceAll('\0', '\ufffd') : text.toWellFormed()
    if (wellFormed !== text) replaced++
    return JSON.stringify(wellFormed)
  }
  const members: string[] = []
  for (const column of entryColumns) {
    const value = column.type === 'timestamp' ? new Date(time).toISOString() : (row[column.name] ?? null)
    if (value !== null) members.push(`"${column.name}":${encodeField(column, value, quote)}`)
    else if (!column.nullable) throw new RejectedRow(`the field ${column.name} is missing`)
  }
  const others = Object.keys(row).filter((name) => !known.has(name) && row[name] !== null)
  if (others.includes('source')) throw new RejectedRow('it has a field named source, which the exporter adds itself')
  for (const name of others.sort()) members.push(`${quote(name)}:${encodeAny(row[name], quote)}`)
  return { text: `{${members.join()}`, replaced }
}

function encodeField({ name, type }: RowColumn, value: unknown, quote: Quote): string {
  if (type === 'int32' || type === 'int64') {
    const isInteger = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
    if (!isInteger || value >= bounds[type] || value < -bounds[type]) {
      throw new RejectedRow(`the field ${name} is not an ${type}`)
    }
    return String(value)
  }
  if (typeof value !== 'string') throw new RejectedRow(`the field ${name} is not a string`)
  return quote(value)
}

/** Canonical JSON of any value. It has no spaces, and names are sorted by their code units. */
function encodeAny(value: unknown, quote: Quote): string {
  if (typeof value === 'string') return quote(value)
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map((each) => encodeAny(each, quote)).join()}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${members.map(([name, each]) => `${quote(name)}:${encodeAny(each, quote)}`).join()}}`
  }
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RejectedRow('it holds a number beyond the range of a double')
  return JSON.stringify(value)
}

const plain: Quote = (text) => JSON.stringify(text)

/**
 * The identity of a canonical line by its fields, without its source. It does not depend on which fields the contract has. The key of
 * a line that cannot be parsed is the line itself.
 */
export function fieldsKey(line: string): string {
  try {
    const { source: _, ...fields } = parseRowFields(line)
    return encodeAny(fields, plain)
  } catch {
    return line
  }
}

/**
 * Whether the fields in the column `extra` are in canonical order and form. Usually they are sorted by name. If the contract has lost
 * a field since the line was written, `extra` begins with that field and the contract's later fields, in the contract's order.
 *
 * @param text the fields as an object, as in the column `extra`
 */
export function isCanonicalExtra(text: string): boolean {
  const fields = parseRowFields(text)
  if (encodeAny(fields, plain) === text) return true
  const names = Object.keys(fields)
  const ranks = names.map((name) => entryColumns.findIndex((column) => column.name === name))
  const end = ranks.findIndex((rank, n) => rank !== -1 && rank < Math.max(...ranks.slice(0, n)))
  const byName = end === -1 ? [] : names.slice(end)
  const members = names.map((name) => `${plain(name)}:${encodeAny(fields[name], plain)}`)
  return ranks[0] === -1 && `${byName}` === `${byName.toSorted()}` && `{${members.join()}}` === text
}
