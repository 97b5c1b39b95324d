import { isRecord } from '@cdn/kit/record'
import { terminalText } from '@cdn/kit/text'
import type { TableColumn } from './table.ts'

const keyField = /^(id|name|hostname|key)$/i

/**
 * Derives the columns of data that declares none, such as a response of the platform or the result of an expression. The columns
 * of an object are its fields, those of a list its positions; any other value has the column `value`.
 *
 * @param items the first items of the data
 * @param order fields that come first, whether or not the items have them
 */
export function columnsOf(items: readonly unknown[], order: readonly string[] = []) {
  const fields = [...new Set([...order, ...items.flatMap(fieldsOf)])]
  const isKeyed = fields.some((field) => keyField.test(field))
  const columns = fields.map((field, index): TableColumn<unknown> => {
    const values = items.map((item) => fieldOf(item, field, index))
    const isNumber = values.every((value) => /number|bigint/.test(typeof value) || value === null)
    const isKey = isKeyed ? keyField.test(field) : index === 0
    return {
      title: terminalText(field),
      value: (item) => fieldOf(item, field, index),
      ...(isNumber && items.length > 0 && { align: 'right' as const }),
      ...(isKey ? { isKey } : { isFlexible: true }),
    }
  })
  return { fields, columns }
}

function fieldsOf(item: unknown): string[] {
  if (Array.isArray(item)) return item.map((_, index) => String(index + 1))
  return isRecord(item) ? Object.keys(item) : ['value']
}

/** @param index position of the field, for an item that is a list or a plain value */
export function fieldOf(item: unknown, field: string, index: number): unknown {
  if (Array.isArray(item)) return item[index]
  return isRecord(item) ? item[field] : index === 0 ? item : undefined
}
