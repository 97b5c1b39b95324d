import type { Column, View } from './output.ts'

/**
 * How data whose shape nobody declared is shown: the result of an expression, an answer of the platform.
 *
 * @param items objects by their keys, lists by their positions, whatever else as `value`
 */
export function viewOf(items: readonly unknown[]): View<unknown> {
  const keys = [...new Set(items.flatMap(keysOf))]
  const columns = keys.map(
    (title, index): Column<unknown> => ({ title, value: (item) => cellOf(item, title, index), isFlexible: true }),
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

function isRecord(item: unknown): item is Readonly<Record<string, unknown>> {
  return typeof item === 'object' && item !== null
}
