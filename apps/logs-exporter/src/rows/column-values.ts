import { type ColumnType, columns, entryColumns, parseTypedRow, type TypedRow, type Value } from './columns.ts'

/** A value of a typed column. Texts are in UTF-8. */
export type ColumnValue = number | bigint | Uint8Array | null

type Convert = (value: Exclude<Value, null>) => ColumnValue

/** The values of each column of some rows, one list per entry of `columns`. */
export type ColumnValues = ReturnType<typeof createColumnValues>

/** Collects the values of rows by column, for Parquet. */
export function createColumnValues() {
  const lists: ColumnValue[][] = columns.map(() => [])
  const convert = columns.map(({ type }) => createConvert(type))
  return {
    lists: lists as readonly (readonly ColumnValue[])[],
    /** Adds a row that the compiled `WriteLine` encoded. Other rows may have types that this method does not check. */
    add: (row: Readonly<Record<string, unknown>>, time: number) => addPlain(lists, convert, row, time),
    addTyped(row: TypedRow): void {
      for (const [n, value] of row.entries()) lists[n]?.push(value === null ? null : (convert[n]?.(value) ?? null))
    },
  }
}

/** The values of each column of canonical lines. */
export function columnsOf(lines: Iterable<string>): ColumnValues['lists'] {
  const { lists, addTyped } = createColumnValues()
  for (const line of lines) addTyped(parseTypedRow(line))
  return lists
}

type AddPlain = (
  lists: ColumnValue[][],
  convert: readonly Convert[],
  row: Readonly<Record<string, unknown>>,
  time: number,
) => void

/** Compiled from the contract's fields, as `compileLine` is. */
const addPlain = (() => {
  const [, ...fields] = entryColumns // the timestamp comes first
  const additions = fields.map(
    ({ name }, n) => `lists[${n + 1}].push((value = row.${name}) == null ? null : convert[${n + 1}](value))`,
  )
  const create = new Function(`return (lists, convert, row, time) => {
      let value
      lists[0].push(time)
      ${additions.join('\n')}
      lists[${fields.length + 1}].push(null)
      lists[${fields.length + 2}].push(convert[${fields.length + 2}]('v2'))
    }`)
  return create() as AddPlain // of this type, as the text above shows
})()

/** Maximum number of different values that are remembered per column. With more, no value of the column is looked up. */
const maxDifferent = 256

/**
 * Creates a function that converts the values of a column. Equal values share one object, which saves memory and comparisons.
 */
function createConvert(type: ColumnType): Convert {
  const known = new Map<Value, ColumnValue>()
  return (value) => {
    const hasRepetitions = known.size < maxDifferent
    const equal = hasRepetitions ? known.get(value) : undefined
    if (equal !== undefined) return equal
    const converted = toColumn(type, value)
    if (hasRepetitions) known.set(value, converted)
    return converted
  }
}

function toColumn(type: ColumnType, value: Exclude<Value, null>): ColumnValue {
  if (type === 'int64') return BigInt(value)
  if (type === 'int32' || type === 'timestamp') return Number(value) + 0 // the line of -0 has 0
  return Buffer.from(String(value)) // uses Node's buffer pool; an allocation per text would take most of the time
}
