import { entryColumns, type RowColumn } from './columns.ts'

/** Writes a row as a canonical line without its source and its end. @returns undefined if the row needs `toCanonical` */
export type WriteLine = (row: Readonly<Record<string, unknown>>, time: string) => string | undefined

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
  const body = fields.map(memberOf).join('\n')
  const create = new Function(
    'unsafe',
    'toJson',
    `return (row, time) => {
      let line = '{"timestamp":"' + time + '"', left = 'timestamp' in row ? -1 : 0, value
      for (const name in row) left++
      ${body}
      return left === 0 ? line : undefined
    }`,
  )
  const toJson = (text: string) =>
    text.isWellFormed() && !(replacesNul && text.includes('\0')) ? JSON.stringify(text) : undefined
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes control characters
  return create(/["\\\0-\x1f\ud800-\udfff]/, toJson) as WriteLine // of this type, as the text above shows
}

const checks = {
  int32: "typeof value === 'number' && (value | 0) === value",
  int64: 'Number.isSafeInteger(value)',
  string: "typeof value === 'string'",
}

function memberOf({ name, type, nullable }: RowColumn): string {
  if (type !== 'int32' && type !== 'int64' && type !== 'string') throw new Error(`no form for the field ${name}`)
  const plain = `line += ',"${name}":"' + value + '"'`
  const escaped = `{ if ((value = toJson(value)) === undefined) return; line += ',"${name}":' + value }`
  const append =
    type === 'string' ? `if (unsafe.test(value)) ${escaped} else ${plain}` : `line += ',"${name}":' + value`
  return `if ((value = row.${name}) !== undefined) {
    left--
    if (value !== null) {
      if (!(${checks[type]})) return
      ${append}
    }${nullable ? '' : ' else return'}
  }${nullable ? '' : ' else return'}`
}
