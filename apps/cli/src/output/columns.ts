import { isRecord } from '@cdn/kit/record'
import { terminalText } from '@cdn/kit/text'
import type { TableColumn, View } from './output.ts'

/**
 * The view of data without a declared shape: the result of an expression, or a response of the platform.
 *
 * @param items the columns of an object are its keys, those of a list its positions; other values have the column `value`
 */
export function viewOf(items: readonly unknown[]): View<unknown> {
  const keys = [...new Set(items.flatMap(keysOf))]
  const columns = keys.map(
    (key, index): TableColumn<unknown> => ({
      title: terminalText(key),
      value: (item) => cellOf(item, key, index),
      isFlexible: true,
    }),
  )
  return { columns, fields: keys }
}

/** The cells of an item, in the order of the fields. */
export function cellsOf(item: unknown, fields: readonly string[]): unknown[] {
  return fields.map((field, index) => cellOf(item, field, index))
}

function keysOf(item: unknown): string[] {
  if (Array.isArray(item)) return item.map((_, index) => String(index + 1))
  return isRecord(item) ? Object.keys(item) : ['value']
}

function cellOf(item: unknown, field: string, index: number): unknown {
  if (Array.isArray(item)) return item[index]
  return isRecord(item) ? item[field] : index === 0 ? item : undefined
}
