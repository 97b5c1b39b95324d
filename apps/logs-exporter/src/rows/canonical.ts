import { type Column, entryColumns } from './columns.ts'
import type { Privacy } from './privacy.ts'

/** A row as it was parsed: integers that no number can hold are bigints. */
export type ParsedRow = Readonly<Record<string, unknown>>

/** What the text of a row went through. */
export interface Canonical {
  /** The line without its source and its end: `{` and members, not closed. */
  readonly text: string
  /** Texts in which a lone surrogate, or U+0000 where the sink cannot hold it, became U+FFFD. */
  readonly replaced: number
}

/** A row that no sink can hold; the message says why, without any of its content. */
export class RejectedRow extends Error {
  override readonly name = 'RejectedRow'
}

const known = new Set(entryColumns.map(({ name }) => name))
const bounds = { int32: 2n ** 31n, int64: 2n ** 63n }

/**
 * Writes a row in its one form: fields of the contract in the contract's order, without those that are null, then others by
 * name. Two rows are the same exactly where these texts are.
 *
 * @param time the shown timestamp, in ms
 * @throws RejectedRow where a field is not of its type, or a required one is missing
 */
export function toCanonical(row: ParsedRow, time: number, privacy: Privacy): Canonical {
  const texts = createTexts(privacy.replacesNul)
  const members: string[] = []
  for (const column of entryColumns) {
    const value = column.type === 'timestamp' ? toTimestamp(time) : privacy.apply(column.name, row[column.name] ?? null)
    if (value !== null) members.push(`"${column.name}":${encodeField(column, value, texts)}`)
    else if (!column.nullable) throw new RejectedRow(`the field ${column.name} is missing`)
  }
  const others = Object.keys(row).filter((name) => !known.has(name) && row[name] !== null)
  if (others.includes('source')) throw new RejectedRow('it has a field named source, which the exporter adds itself')
  for (const name of others.sort()) members.push(`${texts.quote(name)}:${encodeAny(row[name], texts)}`)
  return { text: `{${members.join()}`, replaced: texts.replaced() }
}

/** The time as every line has it, whatever zone and precision it was shown with. */
function toTimestamp(time: number): string {
  if (Number.isNaN(time)) throw new RejectedRow('it has no timestamp')
  return new Date(time).toISOString()
}

/** Texts of one row, which counts those that had to be changed. */
interface Texts {
  quote(text: string): string
  replaced(): number
}

function createTexts(replacesNul: boolean): Texts {
  let count = 0
  return {
    quote(text) {
      const wellFormed = cleanText(text, replacesNul)
      if (wellFormed !== text) count++
      return JSON.stringify(wellFormed)
    },
    replaced: () => count,
  }
}

/** What every sink can hold: a lone surrogate makes readers refuse a whole file, U+0000 a whole COPY (design §7). */
export function cleanText(text: string, replacesNul: boolean): string {
  const wellFormed = text.toWellFormed()
  return replacesNul ? wellFormed.replaceAll('\0', '\ufffd') : wellFormed
}

function encodeField({ name, type }: Column, value: unknown, texts: Texts): string {
  if (type === 'int32' || type === 'int64') {
    const isInteger = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))
    if (!isInteger || value >= bounds[type] || value < -bounds[type]) {
      throw new RejectedRow(`the field ${name} is no ${type}`)
    }
    return String(value)
  }
  if (typeof value !== 'string') throw new RejectedRow(`the field ${name} is no text`)
  return texts.quote(value)
}

/** Canonical JSON of a value of any kind: no spaces, names in the order of their code units. */
function encodeAny(value: unknown, texts: Texts): string {
  if (typeof value === 'string') return texts.quote(value)
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map((each) => encodeAny(each, texts)).join()}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
    return `{${members.map(([name, each]) => `${texts.quote(name)}:${encodeAny(each, texts)}`).join()}}`
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RejectedRow('it holds a number beyond all bounds')
  return JSON.stringify(value)
}
