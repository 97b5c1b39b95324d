import { assertDefined } from '@cdn/kit/assert-defined'
import { type ColumnType, columns, parseTypedRow, type TypedRow, type Value } from './columns.ts'

/** A value of a typed column. Texts are in UTF-8. */
export type ColumnValue = number | bigint | Uint8Array | null

type Convert = (value: Exclude<Value, null>) => ColumnValue

/** The values of each column of some rows, one list per entry of `columns`. */
export type ColumnValues = ReturnType<typeof createColumnValues>

/** Collects the values of rows by column, for Parquet. */
export function createColumnValues() {
  const lists: ColumnValue[][] = columns.map(() => [])
  const converts = columns.map(({ type }) => createConvert(type))
  /** The columns after the timestamp, which comes first, and before `source`, which comes last. */
  const fields = columns
    .slice(1, -1)
    .map(({ name }, n) => ({ name, list: at(lists, n + 1), convert: at(converts, n + 1) }))
  const [times, sources] = [at(lists, 0), at(lists, -1)]
  const source = at(converts, -1)
  return {
    lists: lists as readonly (readonly ColumnValue[])[],
    /** Adds a row that `WriteLine` encoded. Other rows may have types that this method does not check. */
    add(row: Readonly<Record<string, unknown>>, time: number): void {
      times.push(time)
      for (const { name, list, convert } of fields) {
        const value = row[name] as Value | undefined // as `WriteLine` has checked
        list.push(value === null || value === undefined ? null : convert(value))
      }
      sources.push(source('v2'))
    },
    addTyped(row: TypedRow): void {
      for (const [n, value] of row.entries()) lists[n]?.push(value === null ? null : (converts[n]?.(value) ?? null))
    },
  }
}

const at = <T>(list: readonly T[], n: number): T => assertDefined(list.at(n))

/** The values of each column of canonical lines. */
export function columnsOf(lines: Iterable<string>): ColumnValues['lists'] {
  const { lists, addTyped } = createColumnValues()
  for (const line of lines) addTyped(parseTypedRow(line))
  return lists
}

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
