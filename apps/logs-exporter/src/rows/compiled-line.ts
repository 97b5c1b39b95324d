import { entryColumns, type RowColumn } from './columns.ts'

/** The end of each line. All rows are read from version 2. */
export const ending = ',"source":"v2"}\n'

/**
 * Writes a row as a canonical line.
 *
 * @param hasEscapes false if no text of the row has a character that JSON must escape, or a lone surrogate
 * @returns undefined if the row needs `toCanonical`
 */
export type WriteLine = (
  row: Readonly<Record<string, unknown>>,
  time: string,
  hasEscapes: boolean,
) => string | undefined

/**
 * Compiles a function that writes usual rows, from the contract's fields. It returns undefined for all others: rows with a field that
 * the contract does not know, a value of another type, an integer that a number cannot hold, a lone surrogate, or a required field
 * that is missing. `toCanonical` defines the result for all rows; this function gives the same lines about three times as fast
 * (docs/decisions/row-encoder.md).
 *
 * @param replacesNul whether the sink cannot hold U+0000. Such rows need `toCanonical`, too
 */
export function compileLine(replacesNul: boolean): WriteLine {
  const [, ...fields] = entryColumns // the timestamp comes first
  const create = new Function(
    'unsafe',
    'toJson',
    'ending',
    `${writerOf('plain', fields, plainMember)}
    ${writerOf('escaped', fields, escapedMember)}
    return (row, time, hasEscapes) => hasEscapes ? escaped(row, time) : plain(row, time)`,
  )
  const toJson = (text: string) =>
    text.isWellFormed() && !(replacesNul && text.includes('\0')) ? JSON.stringify(text) : undefined
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters
  return create(/["\\\0-\x1f]/, toJson, ending) as WriteLine // of this type, as the text above shows
}

type MemberOf = (name: string) => string

const plainMember: MemberOf = (name) => `line += ',"${name}":"' + value + '"'`
const escapedMember: MemberOf = (name) => `if (unsafe.test(value)) {
        if ((value = toJson(value)) === undefined) return
        line += ',"${name}":' + value
      } else ${plainMember(name)}`

function writerOf(writer: string, fields: readonly RowColumn[], stringMember: MemberOf): string {
  return `function ${writer}(row, time) {
      let line = '{"timestamp":"' + time + '"', left = 'timestamp' in row ? -1 : 0, value
      for (const name in row) left++
      ${fields.map((field) => memberOf(field, stringMember)).join('\n')}
      if (left !== 0) return
      line += ending
      return line.isWellFormed() ? line : undefined
    }`
}

const checks = {
  int32: "typeof value === 'number' && (value | 0) === value",
  int64: 'Number.isSafeInteger(value)',
  string: "typeof value === 'string'",
}

function memberOf({ name, type, nullable }: RowColumn, stringMember: MemberOf): string {
  if (type !== 'int32' && type !== 'int64' && type !== 'string') throw new Error(`no form for the field ${name}`)
  return `if ((value = row.${name}) !== undefined) {
    left--
    if (value !== null) {
      if (!(${checks[type]})) return
      ${type === 'string' ? stringMember(name) : `line += ',"${name}":' + value`}
    }${nullable ? '' : ' else return'}
  }${nullable ? '' : ' else return'}`
}
