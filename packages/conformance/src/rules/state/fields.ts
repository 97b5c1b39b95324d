/** Fields of items: under which name a record shows one, and which values may change by themselves. */
import { type Item, isStated, operations, type Resource, type Schema } from '@cdn/api/contract'
import { memoize } from '@cdn/kit/memoize'

export const changedFields = memoize((resource: Resource): readonly string[] => {
  const fields = operations
    .filter(isStated)
    .filter((operation) => operation.resource === resource)
    .flatMap(({ action }) => {
      if (action.kind === 'set') return Object.keys(action.fields)
      if ('field' in action) return [action.field]
      return 'shown' in action ? action.shown.filter((name) => name !== resource.id) : []
    })
  return [...new Set(fields)]
})

/** Finds the value of a field under another name, because the spec may state an effect without the name of its field (`x-shows`). */
export function valueUnderAnotherName(record: Item, name: string, schema: Schema): unknown {
  const shown = String(schema['x-shows'] ?? name)
    .replaceAll('-', '')
    .toLowerCase()
  const isKind = (value: unknown) => typeof value === [schema.type].flat()[0] || (Array.isArray(value) && schema.items)
  return Object.entries(record).find(([key, value]) => key.toLowerCase().includes(shown) && isKind(value))?.[1]
}

/** Whether a field that no operation changes may have another value now: a counter that grew, or a time. Both as canonical texts. */
export function mayMove(before: string, after: string, { enum: values }: Schema = {}): boolean {
  const isTime = (text: string) => /^"\d{4}-\d\d-\d\dT/.test(text)
  const isCounter = (text: string) => values === undefined && /^-?\d/.test(text)
  if (isTime(before) && isTime(after)) return true
  return isCounter(before) && isCounter(after) && Number(after) >= Number(before)
}
