import { isRecord } from '@cdn/kit/record'
import { terminalText } from '@cdn/kit/text'
import type { TableColumn } from './table.ts'

const keyField = /^(id|name|hostname|key)$/i

/**
 * Derives the columns of data that declares no columns, such as a response of the platform or the result of an expression. The columns
 * of an object are its fields, and the columns of a list are its positions; any other value has the column `value`.
 *
 * @param items all items, or the first items of a stream
 * @param order fields that come first, whether or not the items have them
 */
export function columnsOf(items: readonly unknown[], order: readonly string[] = []) {
  const fields = fieldsOf(items, order)
  const isKeyed = fields.some((field) => keyField.test(field))
  return fields.map((field, index): TableColumn<unknown> => {
    const values = items.map((item) => fieldOf(item, field))
    const isNumber = values.every((value) => /number|bigint/.test(typeof value) || value === null)
    const isKey = isKeyed ? keyField.test(field) : index === 0
    return {
      title: terminalText(field),
      value: (item) => fieldOf(item, field),
      ...(isNumber && items.length > 0 && { align: 'right' as const }),
      ...(isKey ? { isKey } : { isFlexible: true }),
    }
  })
}

/** The fields of all items, each once: first those of `order`, even if no item has them. */
export function fieldsOf(items: readonly unknown[], order: readonly string[] = []): string[] {
  return [...new Set([...order, ...items.flatMap(namesOf)])]
}

/** The names of the columns of one item. */
export function namesOf(item: unknown): string[] {
  if (Array.isArray(item)) return item.map((_, index) => String(index + 1))
  return isRecord(item) ? Object.keys(item) : ['value']
}

export function fieldOf(item: unknown, field: string): unknown {
  if (Array.isArray(item)) return /^\d+$/.test(field) ? item[Number(field) - 1] : undefined
  if (isRecord(item)) return Object.hasOwn(item, field) ? item[field] : undefined
  return field === 'value' ? item : undefined
}
